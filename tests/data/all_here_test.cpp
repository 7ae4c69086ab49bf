// Ranks wait for each other by AllHere, whichever rank is late. Run by with_ranks.
#include "data/all_here.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "mpi/comm.hpp"

namespace {

using namespace ductile;

int failures = 0;

void expect(bool holds, const char* what, int which = 0) {
    if (holds) return;
    ++failures;
    std::printf("FAILED: %s (%d)\n", what, which);
}

bool never() {
    return false;
}

void all_hear_the_largest_number(const mpi::Comm& comm) {
    data::Progress progress;
    for (int largest = 0; largest < comm.size(); ++largest) {
        data::AllHere here;
        here.begin(comm, comm.rank() == largest ? 100 : -comm.rank());
        expect(here.advance(progress, never), "all are here", largest);
        expect(here.largest() == 100, "the largest number", largest);
    }
}

void nobody_continues_before_the_last_has_come(const mpi::Comm& comm) {
    data::Progress progress;
    for (int late = 0; late < comm.size(); ++late) {
        if (comm.rank() == late) ::usleep(50000);
        const double came = MPI_Wtime();
        expect(data::wait_for_all(comm, progress, never), "all have come", late);
        const double went = MPI_Wtime();
        double last_came = 0, first_went = 0;  // ranks of one machine have one clock
        MPI_Allreduce(&came, &last_came, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&went, &first_went, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        expect(first_went >= last_came, "nobody has gone on before", late);
    }
}

void one_that_was_given_up_can_go_on(const mpi::Comm& comm) {
    data::Progress progress;
    data::AllHere here;
    const bool is_missing = comm.rank() == comm.size() - 1;
    if (!is_missing) {
        here.begin(comm, 1);
        expect(!here.advance(progress, [] { return true; }), "one is missing");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_missing) here.begin(comm, 7);
    expect(here.advance(progress, never), "all are here after all");
    expect(here.largest() == 7, "the number of the last");
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        const auto comm = mpi::duplicate(MPI_COMM_WORLD);
        all_hear_the_largest_number(comm);
        nobody_continues_before_the_last_has_come(comm);
        one_that_was_given_up_can_go_on(comm);
    }
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
