// Run by with_ranks: the time in MPI that libductile_mpi_time measures, compared with the clock of
// the program around its calls. The program is linked with that library before the MPI.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "engine/mpi_time_hook.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto work = 200ms;
int failures = 0;

void expect(bool holds, const char* what, double value) {
    if (holds) return;
    ++failures;
    std::printf("not so: %s (%g)\n", what, value);
}

struct Measured {
    double by_program_s = 0, by_library_s = 0;
};

template <class Call>
Measured measure(Call call) {
    const double before_s = ductile_mpi_seconds();
    const auto begin = Clock::now();
    call();
    const auto end = Clock::now();
    return {std::chrono::duration<double>(end - begin).count(), ductile_mpi_seconds() - before_s};
}

// The clock of the program is read outside of the library's. A loaded machine may stop the process
// between the two.
void expect_in_mpi(const Measured& measured, const char* what) {
    expect(measured.by_library_s <= measured.by_program_s, what, measured.by_library_s);
    expect(measured.by_library_s >= measured.by_program_s / 2, what, measured.by_library_s);
}

/// One rank computes, and the other waits for it in `call`.
template <class Call>
void expect_wait(int rank, int worker, Call call, const char* what) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == worker) {
        const auto computed = measure([] { std::this_thread::sleep_for(work); });
        expect(computed.by_library_s == 0, "work outside of MPI does not count",
               computed.by_library_s);
        call();
    } else {
        expect_in_mpi(measure(call), what);
    }
}

void expect_starts_count(int rank) {
    int out = rank, in = -1;
    MPI_Request requests[2];
    const auto started = measure([&] {
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
    });
    expect(started.by_library_s > 0 && started.by_library_s <= started.by_program_s,
           "a call that starts a message takes what it takes", started.by_library_s);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(in == 1 - rank, "the message arrives", in);
}

void expect_others_do_not_count() {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    const auto meanwhile = measure([&] { std::thread([&] { MPI_Barrier(other); }).join(); });
    expect(meanwhile.by_library_s == 0, "calls of another thread do not count",
           meanwhile.by_library_s);
    MPI_Comm_free(&other);
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expect_wait(
        rank, 0, [] { MPI_Barrier(MPI_COMM_WORLD); }, "a barrier counts");
    int word = 0;
    expect_wait(
        rank, 0,
        [&] {
            if (rank == 0)
                MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        },
        "a receive counts");
    expect_wait(
        rank, 1,
        [&] {
            MPI_Request request = MPI_REQUEST_NULL;
            if (rank == 1) {
                MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            } else {
                MPI_Irecv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
        },
        "a wait counts");
    expect_starts_count(rank);
    if (level == MPI_THREAD_MULTIPLE) expect_others_do_not_count();
    int sum = 0;
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
