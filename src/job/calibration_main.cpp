// The program that `ductile calibrate` resizes. Each iteration does a fixed amount of work, an
// exchange and a resize point. Usage: calibration-program [MICROSECONDS [MEBIBYTES]]: the work of
// an iteration, and the data of all ranks.
//
// After each resize rank 0 prints "resized SIZE omega X". X is the time of an iteration while the
// resize was under way, divided by the time before it. X is 0 if no iteration was measured before
// the resize, or none while it was under way.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ductile/ductile.hpp>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

void work(long rounds) {
    volatile double x = 1;
    for (long i = 0; i < rounds; ++i) x = x * 1.0000001;
}

// The number of rounds that take so many seconds without disturbance.
long rounds_in(double seconds) {
    constexpr long probe = 1000000;
    double best = 1;
    for (int i = 0; i < 5; ++i) {
        const auto begin = Clock::now();
        work(probe);
        best = std::min(best, seconds_since(begin));
    }
    return static_cast<long>(static_cast<double>(probe) * seconds / best);
}

// The mean time of iterations.
struct Mean {
    double sum_s = 0;
    long count = 0;
    void add(double seconds) { sum_s += seconds, ++count; }
    [[nodiscard]] double value() const {
        return count == 0 ? 0 : sum_s / static_cast<double>(count);
    }
};

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    long rounds = job.fresh() ? rounds_in((argc > 1 ? std::atof(argv[1]) : 2000) * 1e-6) : 0;
    if (job.fresh()) MPI_Bcast(&rounds, 1, MPI_LONG, 0, job.comm());
    auto rounds_ = job.replicate("rounds", rounds);
    constexpr std::int64_t in_a_mebibyte = (1 << 20) / sizeof(double);
    const std::int64_t elements = argc > 2 ? std::atoll(argv[2]) * in_a_mebibyte : 1000;
    auto data = job.distribute<double>("data", elements);
    Mean quiet, disturbed;
    for (;;) {
        const auto begin = Clock::now();
        work(rounds);
        double sum = 1;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, job.comm());
        const double took = seconds_since(begin);
        const auto what = job.resize_point();
        if (what == ductile::Resized::leave) return 0;
        if (what == ductile::Resized::pending) disturbed.add(took);
        if (what == ductile::Resized::unchanged) quiet.add(took);
        if (what != ductile::Resized::resized) continue;
        if (job.rank() == 0) {
            const bool known = quiet.count > 0 && disturbed.count > 0;
            std::printf("resized %d omega %.6f\n", job.size(),
                        known ? disturbed.value() / quiet.value() : 0.0);
            std::fflush(stdout);
        }
        quiet = disturbed = {};
    }
}
