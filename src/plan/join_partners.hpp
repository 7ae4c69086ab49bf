// Which pairs of processes communicate while sources and newcomers become one communicator.
#pragma once

#include <vector>

#include "core/layout.hpp"

namespace ductile::plan {

/// Whether each host of the job is a machine of its own, or all are one machine (logical hosts).
enum class Machines { one_a_host, one };
/// The environment variable of ranks whose hosts are one machine.
inline constexpr const char* one_machine_variable = "DUCTILE_ONE_MACHINE";

/// The ranks that exchange messages with rank `me` in the collective calls of a join. The
/// algorithms are those of thakur-2005: recursive doubling among all ranks; recursive doubling and
/// dissemination among the ranks of each machine, and among the first ranks of the machines. At 2
/// -> 8 ranks on four hosts, MPICH 5.0.2 connected no other pairs. There are O(log n) partners, in
/// rising order; the relation is symmetric. `everybody`: the processes of the joined communicator,
/// in the order of its ranks. Precondition: 0 <= me < their number.
std::vector<core::Rank> join_partners(const std::vector<core::RankRange>& everybody, core::Rank me,
                                      Machines machines = Machines::one_a_host);

}  // namespace ductile::plan
