// A job's LaunchSpec as agents are told it and as a journal keeps it. Pure.
#pragma once

#include "broker/launch_spec.hpp"
#include "wire/to_agent_messages.hpp"

namespace ductile::broker {

wire::AgentWelcome welcome_of(const LaunchSpec& launch);
LaunchSpec launch_from(const wire::AgentWelcome& welcome);

}  // namespace ductile::broker
