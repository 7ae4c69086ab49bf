// The loop that all measured programs run, with Ductile or with plain MPI calls: work, then a small
// collective call that keeps the ranks in step.
#pragma once

#include <mpi.h>

#include <chrono>

namespace ductile::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Keeps the core busy for one millisecond of wall-clock time.
inline void work() {
    const auto until = Clock::now() + std::chrono::milliseconds(1);
    while (Clock::now() < until) continue;
}

/// An 8-byte allreduce. Collective over `comm`.
inline void keep_in_step(MPI_Comm comm) {
    long mine = 1;
    long all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, comm);
}

inline void iterate(MPI_Comm comm, int iterations) {
    for (int i = 0; i < iterations; ++i) {
        work();
        keep_in_step(comm);
    }
}

/// The number of iterations before a measurement, and again after it.
inline constexpr int iterations_around = 30;

}  // namespace ductile::bench
