// Which new group starts on which host when a job grows.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"
#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"

namespace ductile::plan {

/// The groups to start, one for each host that gets ranks, hosts in the allocation's order and ids
/// rising; and how they then connect among themselves. Position p of the rounds is added[p].
struct LaunchPlan {
    std::vector<core::Group> added;
    ConnectRounds rounds;
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

/// Planned groups as one group that spans their hosts (`--one-world`): the same ranks on the same
/// hosts, in the same order, under the first group's id. Precondition: there is a group, and none
/// of them spans hosts.
///
/// Example: g0 with 2 ranks on host 0 and g1 with 2 on host 1 become g0 with 4 ranks, of which 2 on
/// host 1.
core::Group as_one_world(const std::vector<core::Group>& groups);

/// Planned groups made coarser, for an MPI that allows few of them: as many consecutive ones as
/// `hosts_per_group` become one, with ids from the first one's on; the last may be of fewer hosts.
/// All ranks stay where they are, in the same order. Precondition: as as_one_world(), and
/// hosts_per_group >= 1.
///
/// Example: g3, g4 and g5 with 2 ranks on each of hosts 0, 1 and 2, two hosts a group: g3 with 4
/// ranks, of which 2 on host 1, and g4 with 2 ranks on host 2.
std::vector<core::Group> in_coarse_groups(const std::vector<core::Group>& groups,
                                          int hosts_per_group);

}  // namespace ductile::plan
