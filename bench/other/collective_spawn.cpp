// What an MPI program does to grow without Ductile: all sources call MPI_Comm_spawn, then all ranks
// merge, and an array of MEBIBYTES moves. Plain MPI calls.
//   mpiexec -n SOURCES collective_spawn ADDED MEBIBYTES [HOSTS]
#include <cstdlib>
#include <string>

#include "common/loop.hpp"
#include "other/host_names.hpp"
#include "other/move_blocks.hpp"

using namespace ductile::bench;

namespace {

long elements_of(const char* mebibytes) {
    return (std::atol(mebibytes) << 20) / static_cast<long>(sizeof(double));
}

void move_data(MPI_Comm merged, int sources, long elements, const std::vector<double>& old_part) {
    if (elements > 0) move_blocks(merged, sources, elements, old_part);
    MPI_Barrier(merged);
}

void begin_as_newcomer(MPI_Comm parent, const char* mebibytes) {
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(parent, 1, &merged);
    int sources = 0;
    MPI_Comm_remote_size(parent, &sources);
    move_data(merged, sources, elements_of(mebibytes), {});
    host_names(merged);
    iterate(merged, iterations_around);
}

void grow(int added, char* mebibytes, const char* hosts, char* program) {
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    int rank = 0;
    int sources = 0;
    MPI_Comm_rank(mine, &rank);
    MPI_Comm_size(mine, &sources);
    const long elements = elements_of(mebibytes);
    const auto [first, last] = block_of(elements, sources, rank);
    const std::vector<double> part(static_cast<std::size_t>(last - first), 1.0);
    iterate(mine, iterations_around);

    MPI_Info where = MPI_INFO_NULL;
    if (hosts != nullptr) {
        MPI_Info_create(&where);
        MPI_Info_set(where, "hosts", hosts);
    }
    const auto begin = Clock::now();
    MPI_Comm children = MPI_COMM_NULL;
    char* words[] = {mebibytes, nullptr};
    MPI_Comm_spawn(program, words, added, where, 0, mine, &children, MPI_ERRCODES_IGNORE);
    const double spawn_s = seconds_since(begin);
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(children, 0, &merged);
    move_data(merged, sources, elements, part);
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
    if (parent != MPI_COMM_NULL && argc > 1)
        begin_as_newcomer(parent, argv[1]);
    else if (argc > 2)
        grow(std::atoi(argv[1]), argv[2], argc > 3 ? argv[3] : nullptr, argv[0]);
    MPI_Finalize();
}
