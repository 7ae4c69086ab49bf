// The cost of each point where a program without Ductile could be resized: rank 0 tells all ranks
// whether a resize is due. Plain MPI calls.
//   mpiexec -n RANKS flag_by_broadcast CALLS
#include <cstdlib>

#include "common/loop.hpp"
#include "other/host_names.hpp"

using namespace ductile::bench;

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    const int calls = argc > 1 ? std::atoi(argv[1]) : 1000;
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    iterate(mine, iterations_around);
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) {
        int due = 0;
        MPI_Bcast(&due, 1, MPI_INT, 0, mine);
    }
    const double call_s = seconds_since(begin) / calls;
    const double longest_call_s = longest(call_s, mine);
    const auto names = host_names(mine);
    if (!names.empty()) print_result(longest_call_s, longest_call_s, names);
    MPI_Finalize();
}
