// The numbers of the ranks of a job on each host, by which programs choose a GPU. Pure.
#pragma once

#include <set>
#include <vector>

#include "broker/group_table.hpp"
#include "core/layout.hpp"

namespace ductile::broker {

/// Gives each rank of the group the smallest number that no living process of the job has on its
/// host. So the numbers are below the slots of the host, unless more processes run there. Processes
/// of `replaced` leave when the ranks of the group come, and hand their numbers on: during the
/// resize two processes have the same. Precondition: the table has the group.
///
/// Example: ranks 0 and 2 live on a host. A group of 2 ranks gets 1 and 3 there.
void allot_local_ranks(core::GroupId group, const std::vector<core::RankRange>& replaced,
                       GroupTable& table);

/// The numbers of the ranks of the group on this share of it, in the order of ranks.
std::vector<core::Rank> local_ranks_of(const GroupState& state, core::HostIndex host);

}  // namespace ductile::broker
