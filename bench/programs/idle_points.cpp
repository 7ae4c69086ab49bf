// Measures the cost of a resize point when no resize is due, and shows that it needs no system call
// and no other rank. Rank 0 prints a line of JSON.
//   ductile run ... -- idle_points CALLS
#include <ductile/ductile.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "common/loop.hpp"
#include "programs/count_system_calls.hpp"

using namespace ductile::bench;

namespace {

double seconds_per_call(ductile::Job& job, int calls) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) static_cast<void>(job.resize_point());
    return seconds_since(begin) / calls;
}

double largest(double mine, MPI_Comm comm) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const int calls = argc > 1 ? std::atoi(argv[1]) : 100000;
    const auto comm = job.comm();
    iterate(comm, iterations_around);
    const double call_s = largest(seconds_per_call(job, calls), comm);

    // The last rank sleeps while the other ranks make their calls. If a call waited for another
    // rank, their times would show it.
    const bool sleeper = job.rank() == job.size() - 1;
    constexpr auto nap = std::chrono::milliseconds(500);
    MPI_Barrier(comm);
    if (sleeper) std::this_thread::sleep_for(nap);
    const double alone_s = seconds_per_call(job, calls);
    const double while_asleep_s = largest(sleeper ? 0 : alone_s * calls, comm);

    const long mine = count_system_calls([&] {
        for (int i = 0; i < calls; ++i) static_cast<void>(job.resize_point());
    });
    long most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_LONG, MPI_MAX, comm);
    if (job.rank() == 0)
        std::printf(
            "{\"ranks\":%d,\"calls\":%d,\"call_s\":%.12f,\"while_one_sleeps_s\":%.9f,"
            "\"nap_s\":%.3f,\"system_calls\":%ld}\n",
            job.size(), calls, call_s, while_asleep_s, std::chrono::duration<double>(nap).count(),
            most);
}
