// Plans how a job leaves hosts that the resource manager takes back. Pure.
#pragma once

#include <map>

#include "broker/host_states.hpp"
#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// Plans a shrink by merge that leaves these hosts, to the largest size that the limits allow.
/// Refused if no rank would stay, or if the limits allow no size. NothingToDo if the job has no
/// ranks there.
Planned plan_to_leave(const std::map<core::HostIndex, WallTime>& hosts, const JobView& job);

}  // namespace ductile::broker
