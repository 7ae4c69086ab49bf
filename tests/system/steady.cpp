// A malleable program whose data proves itself: element i of an array is i plus the number of steps
// done. usage: steady STEPS MICROSECONDS_A_STEP. What it is told to do wrong comes by environment:
//   STEADY_DIE_AT=create|merge|dup|bcast   a process that was added later kills itself on entering
//   that MPI call of its join STEADY_HANG_AT=...                     ... or stops there for good,
//   alive STEADY_DIE_STEP=N                      rank 0 kills itself at step N STEADY_LEAVE_CODE=N,
//   STEADY_LEAVE_HANG=1   what a rank does after `leave` STEADY_READ=1 rank 0 prints each line of
//   standard input before the first step
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ductile/ductile.hpp>
#include <iostream>
#include <string>

namespace {

bool newcomer = false;
bool joining = false;

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

}  // namespace

// The library's calls pass through here: the executable's symbols come first.
extern "C" {
int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag,
                         MPI_Comm* made) {
    joining = true;  // before this, groups are formed
    maybe_die("create");
    return PMPI_Intercomm_create(local, leader, peer, remote, tag, made);
}
int MPI_Intercomm_merge(MPI_Comm between, int high, MPI_Comm* made) {
    maybe_die("merge");
    return PMPI_Intercomm_merge(between, high, made);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    maybe_die("dup");
    return PMPI_Comm_dup(comm, made);
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
        int one = 1;
        int sum = 0;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, job.comm());
        if (sum != job.size()) return 90;
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
            std::cout << "resized " << job.size() << " at " << step << std::endl;
    }
    long bad = note == "from rank 0" ? 0 : 1;
    for (std::int64_t i = 0; i < a.count() * 3; ++i)
        if (a[i] != a.offset() * 3 + i + steps) ++bad;
    long all = 0;
    MPI_Allreduce(&bad, &all, 1, MPI_LONG, MPI_SUM, job.comm());
    if (job.rank() == 0) std::cout << "end " << job.size() << " bad " << all << std::endl;
    return all == 0 ? 0 : 91;
}
