// A job's LaunchSpec, as the broker sends it to agents and stores it in the journal. Pure.
#pragma once

#include "broker/launch_spec.hpp"
#include "wire/to_agent_messages.hpp"

namespace ductile::broker {

wire::AgentWelcome welcome_of(const LaunchSpec& launch);
LaunchSpec launch_from(const wire::AgentWelcome& welcome);

}  // namespace ductile::broker
