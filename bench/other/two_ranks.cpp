// The time that two ranks with a core each need for an agreement, or to make the communicators of a
// job. Plain MPI calls.
//   mpiexec -n 2 two_ranks agreement|split
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/loop.hpp"
#include "other/host_names.hpp"

using namespace ductile::bench;

namespace {

void agree(MPI_Comm all) {
    const std::array<std::int64_t, 6> mine{};
    std::array<std::int64_t, 6> most{};
    MPI_Allreduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_MAX,
                  all);
}

// The communicator of the ranks that stay, and two duplicates, as a shrink makes them.
std::array<MPI_Comm, 3> split(MPI_Comm all) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(all, &group);
    std::array<MPI_Comm, 3> made{};
    MPI_Comm_create_group(all, group, 1, &made[0]);
    MPI_Comm_dup(made[0], &made[1]);
    MPI_Comm_dup(made[0], &made[2]);
    MPI_Group_free(&group);
    return made;
}

double timed(bool splits, MPI_Comm all) {
    MPI_Barrier(all);
    const auto begin = Clock::now();
    if (!splits) {
        agree(all);
        return seconds_since(begin);
    }
    auto made = split(all);
    const double took_s = seconds_since(begin);
    for (auto& comm : made) MPI_Comm_free(&comm);
    return took_s;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int samples = 101;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    const bool splits = argc > 1 && std::string_view(argv[1]) == "split";
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    iterate(mine, iterations_around);
    std::vector<double> took;
    for (int i = 0; i < samples; ++i) took.push_back(timed(splits, mine));
    std::nth_element(took.begin(), took.begin() + samples / 2, took.end());
    const double longest_s = longest(took[samples / 2], mine);
    const auto names = host_names(mine);
    if (!names.empty()) print_result(longest_s, longest_s, names);
    MPI_Finalize();
}
