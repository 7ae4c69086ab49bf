// Groups that live longer than MPI, as in a program that has them in main(): MPI_Finalize ends
// them.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <ductile/process_group.hpp>
#include <optional>

namespace {

// Destroyed after main().
std::optional<ductile::ProcessGroup> of_all;

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    const ductile::ProcessGroup all(MPI_COMM_WORLD);
    of_all.emplace(MPI_COMM_WORLD);
    ductile::GroupOptions options;
    options.algorithm = ductile::GroupAlgorithm::shrink_and_hash;
    const auto even = all.split(all.rank() % 2 == 0, options);
    int sum = 0;
    const int one = 1;
    if (even.member()) even.allreduce(&one, &sum, 1, MPI_INT, MPI_SUM);
    const bool right = !even.member() || sum == (all.size() + 1) / 2;
    MPI_Finalize();
    int refused = 0;
    try {
        all.barrier();
    } catch (const ductile::UsageError&) {
        ++refused;
    }
    try {
        static_cast<void>(all.rank());
    } catch (const ductile::UsageError&) {
        ++refused;
    }
    if (right && refused == 2) return EXIT_SUCCESS;
    std::printf("FAILED: sum %d, %d of 2 calls refused\n", sum, refused);
    return EXIT_FAILURE;
}
