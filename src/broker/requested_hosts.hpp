// Requests that name hosts, or count them. Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// The ranks of a job on so many hosts: more of them are filled one after the other, of fewer those
/// that joined first stay. Lost hosts count only where there are no others.
std::variant<int, Refused> size_in_hosts(int wanted, const JobView& job);

/// Hosts of the job by their names.
std::variant<std::vector<core::HostIndex>, Refused> hosts_named(
    const std::vector<std::string>& names, const JobView& job);

/// Would a group be left that had ranks on these hosts, too?
bool splits_a_group(const core::Layout& layout, const std::vector<core::HostIndex>& released);

/// As if these had no slots.
JobView without_hosts(JobView job, const std::vector<core::HostIndex>& hosts);

}  // namespace ductile::broker
