// How much processor time a growth costs.
//
// What is counted: all processes that the growth starts, from the fork of each process to the end
// of the first barrier of old and new ranks. On our side these are agents, remote shells and new
// ranks. On the other side they are the launcher's proxies, remote shells and new ranks. The old
// ranks of the program are not counted, and neither is the command that requests the resize. The
// time of the managers that ran before (`ductile run` and its agents; mpiexec and its proxies) is
// reported separately.
//
// How: the program's ranks sleep after the barrier. The new ranks report their own CPU clock at the
// end of the barrier (rest.hpp). The CPU clocks of all other processes are read from outside,
// before the growth and after it (clock_getcpuclockid(3): in nanoseconds, with threads that have
// ended). The time of a process that has ended is in the cutime of the process that has waited for
// it, in steps of 10 ms. The processes are found in /proc: on logical hosts the descendants of this
// benchmark, on virtual hosts all processes of the cluster except the benchmark. A sample fails if
// a new rank is not among these processes.
#pragma once

#include "common/place.hpp"

namespace ductile::bench {

struct GrowthCost {
    double started_s = 0;   ///< of all processes that the growth has started, with the new ranks
    double ranks_s = 0;     ///< of the new ranks
    double managers_s = 0;  ///< of the managers that ran before; not in `started_s`
};

/// Throws SystemError when the growth or the job fails.
GrowthCost cost_of_ours(const Place& place, const Shape& begin, const Shape& end);
/// By a collective MPI_Comm_spawn and a merge under mpiexec.
GrowthCost cost_of_other(const Place& place, const Shape& begin, const Shape& end);

}  // namespace ductile::bench
