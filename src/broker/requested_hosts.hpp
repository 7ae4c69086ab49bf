// Requests that name hosts, or count them. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "broker/resize_planner.hpp"
#include "plan/shrink_plan.hpp"

namespace ductile::broker {

/// The ranks of a job on so many hosts, or what it gives back to be on fewer: those that joined
/// first stay. More of them are filled one after the other. Lost hosts count only where there are
/// no others.
std::variant<int, std::vector<plan::Release>, Refused> size_in_hosts(int wanted,
                                                                     const JobView& job);

/// Hosts of the job by their names.
std::variant<std::vector<plan::Release>, Refused> releases_named(
    const std::vector<HostShare>& shares, const JobView& job);
/// Nothing when there is none of this name.
std::optional<core::HostIndex> host_named(const std::string& name,
                                          const core::Allocation& allocation);

/// What is given back of each host's slots after the request, of which the job would have
/// `job.given_back` before it.
std::variant<SlotCounts, Refused> given_back_by(const ResizeRequest& request, const JobView& job);

/// "2 slots of a, 1 slot of b".
std::string slots_text(const SlotCounts& counts, const core::Allocation& hosts);

/// As if these slots were not there.
JobView without_slots(JobView job, const std::vector<plan::Release>& releases);
JobView without_slots(JobView job, const SlotCounts& counts);

}  // namespace ductile::broker
