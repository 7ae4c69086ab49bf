// What a program does between its iterations: it prints progress, and looks for a file that ends
// it.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace apps {

/// The number of steps after which the ranks look again for the file that ends the program.
constexpr std::int64_t look_every = 16;

/// Whether the file exists for rank 0. Collective over `comm`.
inline bool is_asked_to_end(MPI_Comm comm, const std::string& file) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    int asked = rank == 0 && ::access(file.c_str(), F_OK) == 0 ? 1 : 0;
    MPI_Bcast(&asked, 1, MPI_INT, 0, comm);
    return asked != 0;
}

/// Prints the time of an iteration every `every_s` seconds (0: never). Only one rank uses it.
class Progress {
  public:
    explicit Progress(double every_s) : every_s_(every_s) {}
    void restart(std::int64_t step) {
        since_ = Clock::now();
        first_ = step;
    }
    void tell(std::int64_t step, int ranks) {
        const double passed = std::chrono::duration<double>(Clock::now() - since_).count();
        if (every_s_ <= 0 || passed < every_s_) return;
        std::printf("step %lld  %d ranks  %.3f ms an iteration\n", static_cast<long long>(step),
                    ranks, passed / static_cast<double>(step - first_) * 1e3);
        std::fflush(stdout);
        restart(step);
    }

  private:
    using Clock = std::chrono::steady_clock;
    double every_s_;
    Clock::time_point since_ = Clock::now();
    std::int64_t first_ = 0;
};

}  // namespace apps
