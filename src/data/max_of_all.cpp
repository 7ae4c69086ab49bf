#include "data/max_of_all.hpp"

#include <memory>

#include "mpi/check.hpp"
#include "mpi/wait_asleep.hpp"

namespace ductile::data {

namespace {

struct Words {
    int mine = 0, largest = 0;
};

}  // namespace

int max_of_all(const mpi::Comm& comm, int mine, Progress& progress) {
    auto words = std::make_unique<Words>(Words{mine, mine});
    const auto wait = [&](MPI_Request& request, const char* call) {
        if (mpi::wait_collective_asleep_unless(request, call, [&] { return progress.abandoned(); }))
            return;
        static_cast<void>(words.release());  // MPI may write to them later
        throw Abandoned();
    };
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(
        MPI_Ireduce(&words->mine, &words->largest, 1, MPI_INT, MPI_MAX, 0, comm.get(), &request),
        "MPI_Ireduce");
    wait(request, "MPI_Ireduce");
    mpi::check(MPI_Ibcast(&words->largest, 1, MPI_INT, 0, comm.get(), &request), "MPI_Ibcast");
    wait(request, "MPI_Ibcast");
    progress.step();
    return words->largest;
}

}  // namespace ductile::data
