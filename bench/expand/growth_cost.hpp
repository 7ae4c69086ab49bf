// How much processor time a growth costs.
//
// What is counted: all that the growth has started, from the fork of each process to the end of the
// first barrier of old and new ranks. On our side these are agents, remote shells and new ranks, on
// the other the launcher's proxies, remote shells and new ranks. Not counted are the old ranks of
// the program, on both sides, and the command that asks for the resize. What the managers that were
// there before (`ductile run` and its agents; mpiexec and its proxies) have used meanwhile is told
// apart.
//
// How: the program's ranks sleep after the barrier. The new ones tell their own CPU clock at its
// end (rest.hpp); meanwhile the CPU clocks of all others are read from outside, before the growth
// and then (clock_getcpuclockid(3): nanoseconds, with threads that have ended). Processes that have
// ended are in the cutime of the process that has waited for them, to 10 ms. The processes are
// found in /proc: on logical hosts the descendants of this benchmark, on virtual ones all of the
// cluster but the benchmark. A sample in which a new rank is not among them fails.
#pragma once

#include "common/place.hpp"

namespace ductile::bench {

struct GrowthCost {
    double started_s = 0;   ///< all that the growth has started, new ranks included
    double ranks_s = 0;     ///< of the new ranks
    double managers_s = 0;  ///< not in `started_s`: of the managers that were there before
};

/// Throws SystemError when the growth or the job fails.
GrowthCost cost_of_ours(const Place& place, const Shape& begin, const Shape& end);
/// By a collective MPI_Comm_spawn and a merge under mpiexec.
GrowthCost cost_of_other(const Place& place, const Shape& begin, const Shape& end);

}  // namespace ductile::bench
