// Which new group starts on which host when a job grows.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"
#include "core/layout.hpp"

namespace ductile::plan {

/// The groups to start: one for each host that gets ranks, in the order of the allocation, with
/// rising ids.
struct LaunchPlan {
    std::vector<core::Group> added;
    bool operator==(const LaunchPlan&) const = default;
};

/// Why a job cannot grow as requested: one sentence, with counts and with advice.
struct ExpandRefusal {
    std::string reason;
    bool operator==(const ExpandRefusal&) const = default;
};

/// The ranks that each host of the allocation can still take: S = A - R of
/// parallel-spawning-strategies, section 4.2. A host that holds more ranks than its slots counts 0.
/// Ranks on hosts outside the allocation are ignored. Table 2: A = {4,2,8,12,3,3,4,4,6,3} and 2
/// ranks on host 0 give {2,2,8,12,3,3,4,4,6,3}.
std::vector<int> to_start(const core::Layout& now, const core::Allocation& allocation);

/// Throws std::invalid_argument if `next` is not above every id in use: ids are never reused.
void expect_unused(const core::Layout& now, core::GroupId next);

/// Plans the growth of a job to `target` ranks. Fills the free slots host by host, in the order of
/// the allocation, each host up to its slots. (More slots than cores means oversubscription, which
/// is allowed here.) Skips a host without a free slot. New groups get the ids next, next+1, ...
/// Refuses a target that is not above the present size, or that needs more slots than are free.
/// Throws as expect_unused() does.
///
/// Example: 2 slots on each of hosts 0..3, g0 with 2 ranks on host 0, target 7, next 1: g1 with 2
/// ranks on host 1, g2 with 2 on host 2, g3 with 1 on host 3.
std::variant<LaunchPlan, ExpandRefusal> plan_launch(const core::Layout& now,
                                                    const core::Allocation& allocation, int target,
                                                    core::GroupId next);

/// Turns planned groups into one group that spans their hosts: the same ranks on the same hosts, in
/// the same order, with the first group's id. Precondition: there is a group, and none of them
/// spans hosts.
///
/// Example: g0 with 2 ranks on host 0 and g1 with 2 on host 1 become g0 with 4 ranks, of which 2 on
/// host 1.
core::Group as_one_world(const std::vector<core::Group>& groups);

}  // namespace ductile::plan
