// Expectations of tests that run on several ranks.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace ductile::engine {

inline int failures = 0;

inline void expect(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::printf("FAILED on rank %d: %s\n", rank, what);
}

/// The main function of such a test. Returns 0 if no expectation has failed on any rank.
template <class Test>
int run_on_ranks(int& argc, char**& argv, Test test) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    try {
        test();
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int sum = 0;
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace ductile::engine
