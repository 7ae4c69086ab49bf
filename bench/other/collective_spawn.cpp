// What an MPI program does to grow without Ductile: all sources call MPI_Comm_spawn, then everybody
// merges. Bare MPI calls.
//   mpiexec -n SOURCES collective_spawn ADDED [HOSTS]
#include <cstdlib>

#include "common/loop.hpp"
#include "other/host_names.hpp"

using namespace ductile::bench;

namespace {

void begin_as_newcomer(MPI_Comm parent) {
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(parent, 1, &merged);
    MPI_Barrier(merged);
    host_names(merged);
    iterate(merged, iterations_around);
}

void grow(int added, const char* hosts, char* program) {
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    iterate(mine, iterations_around);

    MPI_Info where = MPI_INFO_NULL;
    if (hosts != nullptr) {
        MPI_Info_create(&where);
        MPI_Info_set(where, "hosts", hosts);
    }
    const auto begin = Clock::now();
    MPI_Comm children = MPI_COMM_NULL;
    MPI_Comm_spawn(program, MPI_ARGV_NULL, added, where, 0, mine, &children, MPI_ERRCODES_IGNORE);
    const double spawn_s = seconds_since(begin);
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(children, 0, &merged);
    MPI_Barrier(merged);
    const double total_s = seconds_since(begin);

    const double longest_total_s = longest(total_s, mine);
    const double longest_spawn_s = longest(spawn_s, mine);
    const auto names = host_names(merged);
    if (!names.empty()) print_result(longest_total_s, longest_spawn_s, names);
    iterate(merged, iterations_around);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        begin_as_newcomer(parent);
    else if (argc > 1)
        grow(std::atoi(argv[1]), argc > 2 ? argv[2] : nullptr, argv[0]);
    MPI_Finalize();
}
