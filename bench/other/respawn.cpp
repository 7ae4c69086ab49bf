// What an MPI program does without Ductile to shrink so that whole hosts become free: the sources
// spawn all targets as new processes, and end. Plain MPI calls.
//   mpiexec -n SOURCES respawn TARGETS [HOSTS]
#include <cstdlib>

#include "common/loop.hpp"
#include "other/host_names.hpp"

using namespace ductile::bench;

namespace {

void begin_as_target(MPI_Comm parent) {
    const auto names = host_names(MPI_COMM_WORLD);
    std::string joined;
    for (const auto& name : names) joined += name + "\n";
    // Rank 0 of the sources prints the hosts of the targets.
    if (!names.empty())
        MPI_Send(joined.data(), static_cast<int>(joined.size()), MPI_CHAR, 0, 0, parent);
    MPI_Comm_disconnect(&parent);
    iterate(MPI_COMM_WORLD, iterations_around);
}

std::vector<std::string> receive_names(MPI_Comm children) {
    MPI_Status status;
    MPI_Probe(0, 0, children, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    std::string joined(static_cast<std::size_t>(bytes), '\0');
    MPI_Recv(joined.data(), bytes, MPI_CHAR, 0, 0, children, MPI_STATUS_IGNORE);
    std::vector<std::string> names;
    for (std::size_t at = 0; at < joined.size();) {
        const auto end = joined.find('\n', at);
        names.push_back(joined.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

void respawn(int targets, const char* hosts, char* program) {
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    int rank = 0;
    MPI_Comm_rank(mine, &rank);
    iterate(mine, iterations_around);

    MPI_Info where = MPI_INFO_NULL;
    if (hosts != nullptr) {
        MPI_Info_create(&where);
        MPI_Info_set(where, "hosts", hosts);
    }
    const auto begin = Clock::now();
    MPI_Comm children = MPI_COMM_NULL;
    MPI_Comm_spawn(program, MPI_ARGV_NULL, targets, where, 0, mine, &children, MPI_ERRCODES_IGNORE);
    const double spawn_s = seconds_since(begin);
    const auto names = rank == 0 ? receive_names(children) : std::vector<std::string>{};
    MPI_Comm_disconnect(&children);
    const double total_s = seconds_since(begin);

    const double longest_total_s = longest(total_s, mine);
    const double longest_spawn_s = longest(spawn_s, mine);
    if (rank == 0) print_result(longest_total_s, longest_spawn_s, names);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        begin_as_target(parent);
    else if (argc > 1)
        respawn(std::atoi(argv[1]), argc > 2 ? argv[2] : nullptr, argv[0]);
    MPI_Finalize();
}
