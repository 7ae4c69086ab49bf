// Which new group starts on which host when a job grows.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"
#include "core/layout.hpp"

namespace ductile::plan {

/// The groups to start, one for each host that gets ranks, hosts in the allocation's order and ids
/// rising.
struct LaunchPlan {
    std::vector<core::Group> added;
    bool operator==(const LaunchPlan&) const = default;
};

/// Why a job cannot grow as asked: one sentence, with counts and with what to try.
struct ExpandRefusal {
    std::string reason;
    bool operator==(const ExpandRefusal&) const = default;
};

/// Ranks that each host of the allocation can still take: S = A - R of
/// parallel-spawning-strategies, section 4.2. A host that holds more than its slots counts 0; ranks
/// on hosts outside the allocation count nowhere. Table 2: A = {4,2,8,12,3,3,4,4,6,3} and 2 ranks
/// on host 0 give {2,2,8,12,3,3,4,4,6,3}.
std::vector<int> to_start(const core::Layout& now, const core::Allocation& allocation);

/// Throws std::invalid_argument when `next` is not above every id in use: ids are never reused.
void expect_unused(const core::Layout& now, core::GroupId next);

/// Grows the job to `target` ranks: free slots are filled host by host in the allocation's order,
/// each host up to its slots (slots above the host's cores are oversubscription, and no matter
/// here); a host without a free slot is passed over. New groups get the ids next, next+1, ...
/// Refuses a target that is not above the present size, or that needs more slots than are free.
/// Throws as expect_unused() does.
///
/// Example: 2 slots on each of hosts 0..3, g0 with 2 ranks on host 0, target 7, next 1: g1 with 2
/// ranks on host 1, g2 with 2 on host 2, g3 with 1 on host 3.
std::variant<LaunchPlan, ExpandRefusal> plan_launch(const core::Layout& now,
                                                    const core::Allocation& allocation, int target,
                                                    core::GroupId next);

/// Planned groups as one group that spans their hosts: the same ranks on the same hosts, in the
/// same order, under the first group's id. Precondition: there is a group, and none of them spans
/// hosts.
///
/// Example: g0 with 2 ranks on host 0 and g1 with 2 on host 1 become g0 with 4 ranks, of which 2 on
/// host 1.
core::Group as_one_world(const std::vector<core::Group>& groups);

}  // namespace ductile::plan
