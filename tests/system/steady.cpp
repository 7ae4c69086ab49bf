// A malleable program whose data proves itself: element i of an array is i plus the number of steps
// done, and each rank looks at its part in each step.
// clang-format off
// usage: steady STEPS MICROSECONDS_A_STEP. What it is told to do wrong comes by environment:
//   STEADY_DIE_AT=create|merge|dup|bcast|redistribute   a process that was added later kills itself on entering that MPI call of its join
//   STEADY_HANG_AT=...                     ... or stops there for good, alive
//   STEADY_DIE_STEP=N                      rank 0 kills itself at step N
//   STEADY_LEAVE_CODE=N, STEADY_LEAVE_HANG=1   what a rank does after `leave`
//   STEADY_READ=1                          rank 0 prints each line of standard input before the first step
//   STEADY_UNTIL=FILE                      ends when FILE is there, if that is before STEPS
// clang-format on
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ductile/ductile.hpp>
#include <iostream>
#include <string>

namespace {

bool newcomer = false;
bool joining = false;
std::atomic<int> live = 0;  // communicators of this process

void maybe_die(const char* where) {
    if (!newcomer || !joining) return;
    if (const char* at = std::getenv("STEADY_DIE_AT"); at != nullptr && std::strcmp(at, where) == 0)
        ::raise(SIGKILL);
    if (const char* at = std::getenv("STEADY_HANG_AT");
        at != nullptr && std::strcmp(at, where) == 0)
        for (;;) ::pause();
}

long number(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? -1 : std::atol(value);
}

long wrong_elements(const ductile::Distributed<long>& a, long step) {
    long wrong = 0;
    for (std::int64_t i = 0; i < a.count() * 3; ++i)
        if (a[i] != a.offset() * 3 + i + step) ++wrong;
    return wrong;
}

}  // namespace

// The library's calls pass through here: the executable's symbols come first.
extern "C" {
int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag,
                         MPI_Comm* made) {
    joining = true;  // before this, groups are formed
    maybe_die("create");
    ++live;
    return PMPI_Intercomm_create(local, leader, peer, remote, tag, made);
}
int MPI_Intercomm_merge(MPI_Comm between, int high, MPI_Comm* made) {
    maybe_die("merge");
    ++live;
    return PMPI_Intercomm_merge(between, high, made);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    maybe_die("dup");
    ++live;
    return PMPI_Comm_dup(comm, made);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
    ++live;
    return PMPI_Comm_split(comm, color, key, made);
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    ++live;
    return PMPI_Comm_create_group(comm, group, tag, made);
}
int MPI_Comm_accept(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made) {
    ++live;
    return PMPI_Comm_accept(port, info, root, comm, made);
}
int MPI_Comm_connect(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made) {
    ++live;
    return PMPI_Comm_connect(port, info, root, comm, made);
}
int MPI_Waitany(int n, MPI_Request* requests, int* which, MPI_Status* status) {
    maybe_die("redistribute");
    return PMPI_Waitany(n, requests, which, status);
}
int MPI_Comm_free(MPI_Comm* comm) {
    --live;
    return PMPI_Comm_free(comm);
}
int MPI_Bcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
    maybe_die("bcast");
    return PMPI_Bcast(data, n, type, root, comm);
}
}

int main(int argc, char** argv) {
    const char* group = std::getenv("DUCTILE_GROUP");
    newcomer = group != nullptr &&
               std::atoi(group) >= (std::getenv("STEADY_FIRST_NEWCOMER")
                                        ? std::atoi(std::getenv("STEADY_FIRST_NEWCOMER"))
                                        : 1);
    ductile::Job job(argc, argv);
    joining = false;
    newcomer = false;
    const long steps = argc > 1 ? std::atol(argv[1]) : 100;
    const auto pause_us = static_cast<useconds_t>(argc > 2 ? std::atol(argv[2]) : 10000);
    const char* until = std::getenv("STEADY_UNTIL");
    long step = 0;
    std::string note = "from rank 0";
    auto step_ = job.replicate("step", step);
    auto note_ = job.replicate("note", note);
    auto a = job.distribute<long>("a", 100003, 3);
    if (job.fresh()) {
        for (std::int64_t i = 0; i < a.count() * 3; ++i) a[i] = a.offset() * 3 + i;
        if (std::getenv("STEADY_READ") != nullptr && job.rank() == 0)
            for (std::string line; std::getline(std::cin, line);)
                std::cout << "read " << line << std::endl;
    }
    while (step < steps) {
        ::usleep(pause_us);
        const bool stop = until != nullptr && job.rank() == 0 && ::access(until, F_OK) == 0;
        const long mine[3] = {1, wrong_elements(a, step), stop ? 1 : 0};
        long all[3] = {};
        MPI_Allreduce(mine, all, 3, MPI_LONG, MPI_SUM, job.comm());
        if (all[0] != job.size()) return 90;
        if (all[1] != 0) return 92;
        if (all[2] != 0) break;
        for (long& x : a.local()) x += 1;
        ++step;
        if (job.rank() == 0 && step == number("STEADY_DIE_STEP")) ::raise(SIGKILL);
        const auto what = job.resize_point();
        if (what == ductile::Resized::leave) {
            if (std::getenv("STEADY_LEAVE_HANG") != nullptr)
                for (;;) ::pause();
            return number("STEADY_LEAVE_CODE") > 0 ? static_cast<int>(number("STEADY_LEAVE_CODE"))
                                                   : 0;
        }
        if (what == ductile::Resized::resized && job.rank() == 0)
            std::cout << "resized " << job.size() << " at " << step << " live " << live
                      << std::endl;
    }
    const long bad = wrong_elements(a, step) + (note == "from rank 0" ? 0 : 1);
    long all = 0;
    MPI_Allreduce(&bad, &all, 1, MPI_LONG, MPI_SUM, job.comm());
    if (job.rank() == 0) std::cout << "end " << job.size() << " bad " << all << std::endl;
    return all == 0 ? 0 : 91;
}
