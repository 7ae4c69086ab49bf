// How a job leaves hosts that the resource manager takes back. Pure.
#pragma once

#include <map>

#include "broker/host_states.hpp"
#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// Shrinks the job off these hosts, by merge, to the largest size that its limits allow. Refused
/// when they allow none. Nothing to do when it has no ranks there.
Planned plan_to_leave(const std::map<core::HostIndex, WallTime>& hosts, const JobView& job);

}  // namespace ductile::broker
