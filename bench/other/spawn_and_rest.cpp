// As programs/grow_and_rest, without Ductile: all sources call MPI_Comm_spawn, all ranks merge, and
// they sleep after the first barrier. Plain MPI calls.
//   mpiexec -n SOURCES spawn_and_rest FOLDER ADDED [HOSTS]
#include <cstdlib>

#include "common/loop.hpp"
#include "common/rest.hpp"
#include "other/host_names.hpp"

using namespace ductile::bench;

namespace {

MPI_Comm merge(MPI_Comm others, int high) {
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(others, high, &merged);
    MPI_Barrier(merged);
    return merged;
}

void begin_as_newcomer(MPI_Comm parent, const std::string& folder) {
    const MPI_Comm merged = merge(parent, 1);
    const double used_s = own_processor_time_s();
    int index = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &index);
    leave_note(folder, note_of_newcomer(index), std::to_string(used_s));
    rest_until(folder, note_end);
    host_names(merged);
}

void grow(const std::string& folder, int added, const char* hosts, char* program) {
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    iterate(mine, iterations_around);
    int rank = 0;
    MPI_Comm_rank(mine, &rank);
    if (rank == 0) {
        leave_note(folder, note_ready, "");
        rest_until(folder, note_begin);
    }
    MPI_Barrier(mine);

    MPI_Info where = MPI_INFO_NULL;
    if (hosts != nullptr) {
        MPI_Info_create(&where);
        MPI_Info_set(where, "hosts", hosts);
    }
    std::string words = folder;
    char* arguments[] = {words.data(), nullptr};
    const auto begin = Clock::now();
    MPI_Comm children = MPI_COMM_NULL;
    MPI_Comm_spawn(program, arguments, added, where, 0, mine, &children, MPI_ERRCODES_IGNORE);
    const double spawn_s = seconds_since(begin);
    const MPI_Comm merged = merge(children, 0);
    const double total_s = seconds_since(begin);
    rest_until(folder, note_end);
    const auto names = host_names(merged);
    if (!names.empty()) print_result(total_s, spawn_s, names);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (argc > 1 && parent != MPI_COMM_NULL)
        begin_as_newcomer(parent, argv[1]);
    else if (argc > 2)
        grow(argv[1], std::atoi(argv[2]), argc > 3 ? argv[3] : nullptr, argv[0]);
    MPI_Finalize();
}
