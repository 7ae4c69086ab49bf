// The malleable program of the measurements. Each iteration has 1 ms of work, a small collective
// call and a resize point. After RESIZES resizes it iterates a little more and ends. Each source
// prints a line of JSON at each resize: how long it was in resize_point, its slowest MPI calls, and
// the times of its iterations. With MEBIBYTES it has a frozen array of that size.
//   ductile run ... -- malleable_loop RESIZES [MEBIBYTES]
#include <ductile/ductile.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "common/loop.hpp"

using namespace ductile::bench;

namespace {

/// Times of this rank's MPI calls: while a resize is prepared in the background, and before.
struct CallTimes {
    std::vector<double> quiet_s, pending_s;

    void add(double call_s, bool pending) { (pending ? pending_s : quiet_s).push_back(call_s); }
    [[nodiscard]] double slowest_pending_s() const { return slowest(pending_s, pending_s.size()); }
    /// The slowest of the last calls before, as many as were made while the resize was pending.
    [[nodiscard]] double slowest_quiet_s() const { return slowest(quiet_s, pending_s.size()); }
    void clear() { *this = {}; }
    void add_iteration(double iteration_s, bool pending) {
        (pending ? pending_iteration_s_ : quiet_iteration_s_).push_back(iteration_s);
    }
    [[nodiscard]] std::size_t overlapped() const { return pending_iteration_s_.size(); }
    [[nodiscard]] double pending_iteration_s() const { return mean_of_last(pending_iteration_s_); }
    [[nodiscard]] double quiet_iteration_s() const { return mean_of_last(quiet_iteration_s_); }

  private:
    std::vector<double> quiet_iteration_s_, pending_iteration_s_;

    static double mean_of_last(const std::vector<double>& times_s) {
        constexpr std::size_t most = 200;
        const auto n = std::min(most, times_s.size());
        if (n == 0) return 0;
        return std::accumulate(times_s.end() - static_cast<std::ptrdiff_t>(n), times_s.end(), 0.0) /
               static_cast<double>(n);
    }
    static double slowest(const std::vector<double>& times_s, std::size_t last) {
        const auto n = static_cast<std::ptrdiff_t>(std::min(last, times_s.size()));
        return n == 0 ? 0.0 : *std::max_element(times_s.end() - n, times_s.end());
    }
};

ductile::Distributed<double> frozen_array(ductile::Job& job, std::int64_t mebibytes) {
    auto data = job.distribute<double>(
        "data", (mebibytes << 20) / static_cast<std::int64_t>(sizeof(double)));
    if (job.fresh()) std::ranges::fill(data.local(), 1.0);
    data.freeze();
    return data;
}

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const int wanted = argc > 1 ? std::atoi(argv[1]) : 1;
    long step = 0;
    long end = -1;
    int resizes = 0;
    const auto step_ = job.replicate("step", step);
    const auto resizes_ = job.replicate("resizes", resizes);
    std::optional<ductile::Distributed<double>> data;
    if (argc > 2 && std::atol(argv[2]) > 0) data = frozen_array(job, std::atol(argv[2]));
    const auto count_resize = [&] {
        if (++resizes == wanted) end = step + iterations_around;
    };
    if (!job.fresh()) count_resize();
    bool pending = false;
    CallTimes calls;
    while (step != end) {
        const auto iterating = Clock::now();
        work();
        const auto calling = Clock::now();
        keep_in_step(job.comm());
        calls.add(seconds_since(calling), pending);
        ++step;
        const int rank = job.rank();
        const auto begin = Clock::now();
        const auto answer = job.resize_point();
        const double stall_s = seconds_since(begin);
        const bool resizing = answer != ductile::Resized::unchanged;
        if (!resizing || answer == ductile::Resized::pending)
            calls.add_iteration(seconds_since(iterating), resizing);
        pending = answer == ductile::Resized::pending;
        if (!resizing || pending) continue;
        std::printf(
            "{\"resize\":%d,\"rank\":%d,\"stall_s\":%.9f,\"calls_pending\":%zu,"
            "\"slowest_pending_s\":%.9f,\"slowest_quiet_s\":%.9f,\"overlapped\":%zu,"
            "\"iteration_pending_s\":%.9f,\"iteration_quiet_s\":%.9f}\n",
            resizes, rank, stall_s, calls.pending_s.size(), calls.slowest_pending_s(),
            calls.slowest_quiet_s(), calls.overlapped(), calls.pending_iteration_s(),
            calls.quiet_iteration_s());
        std::fflush(stdout);
        if (answer == ductile::Resized::leave) return 0;
        calls.clear();
        count_resize();
    }
}
