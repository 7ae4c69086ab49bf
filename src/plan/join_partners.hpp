// Which pairs of processes speak to each other while sources and newcomers become one communicator.
#pragma once

#include <vector>

#include "core/layout.hpp"

namespace ductile::plan {

/// Are the job's hosts machines of their own, or all one machine (logical hosts)?
enum class Machines { one_a_host, one };
/// In the environment of ranks whose hosts are one machine.
inline constexpr const char* one_machine_variable = "DUCTILE_ONE_MACHINE";

/// The ranks to which rank `me` sends, or which send to it, in the collective calls of a join:
/// recursive doubling among all ranks; recursive doubling and dissemination among the ranks of each
/// machine, and among the first ranks of the machines (the algorithms of "Optimization of
/// Collective Communication Operations in MPICH", Thakur, Rabenseifner, Gropp, 2005; MPICH 5.0.2
/// was seen to connect no others at 2 -> 8 on four hosts). O(log n) of them, rising; symmetric.
/// `everybody`: the processes of the joined communicator, in the order of its ranks. Precondition:
/// 0 <= me < their number.
std::vector<core::Rank> join_partners(const std::vector<core::RankRange>& everybody, core::Rank me,
                                      Machines machines = Machines::one_a_host);

}  // namespace ductile::plan
