// An order to the agent of a host.
#pragma once

#include "wire/agent_messages.hpp"

namespace ductile::broker {

struct HostOrder {
    core::HostIndex host;
    wire::ToAgent message;
};

}  // namespace ductile::broker
