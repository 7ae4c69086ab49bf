// Requests that name hosts, or a number of hosts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/resize_planner.hpp"
#include "plan/shrink_plan.hpp"

namespace ductile::broker {

/// What the job does to be on `wanted` hosts. If it is on more hosts now, the result is the hosts
/// that it gives back: the hosts of the lowest ranks stay. If it is on fewer hosts, the result is
/// its size when it has filled its hosts and the additional hosts; lost hosts are only used if
/// there are not enough others. If it is on `wanted` hosts already, the result is its present size.
/// Refused if fewer than `wanted` hosts have slots.
std::variant<int, std::vector<plan::Release>, Refused> size_in_hosts(int wanted,
                                                                     const JobView& job);

/// The slots of a host that the job requests: `asked`, or if that is 0, those of its largest host.
[[nodiscard]] int slots_of_new_hosts(const JobView& job, int asked);

/// Finds the hosts of the job that a request names.
std::variant<std::vector<plan::Release>, Refused> releases_named(
    const std::vector<core::HostShare>& shares, const JobView& job);
/// None if there is no host with this name. Capitals and small letters do not differ.
std::optional<core::HostIndex> host_named(std::string_view name,
                                          const core::Allocation& allocation);

/// What remains of `job.given_back` when the request has reclaimed its slots.
std::variant<SlotCounts, Refused> given_back_by(const ResizeRequest& request, const JobView& job);

/// "2 slots of a, 1 slot of b".
std::string slots_text(const SlotCounts& counts, const core::Allocation& hosts);

/// The same job without these slots.
JobView without_slots(JobView job, const std::vector<plan::Release>& releases);
JobView without_slots(JobView job, const SlotCounts& counts);

}  // namespace ductile::broker
