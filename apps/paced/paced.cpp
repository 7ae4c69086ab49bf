// A stand-in for an application whose iteration times are known: each iteration sleeps for the time
// that a curve gives for the number of ranks, and a resize moves data of a given size.
//   ductile run --local=4 -n 2 -- paced --iterations 20 --curve 1:8.9,2:3.4,4:1.47 --scale 0.1
//   --mib 16
#include <chrono>
#include <cstdio>
#include <ductile/ductile.hpp>
#include <thread>

#include "paced/options.hpp"

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t wrong_elements(ductile::Distributed<std::int64_t>& data) {
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < data.count(); ++i)
        if (data[i] != data.offset() + i) ++wrong;
    return wrong;
}

int run(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const auto options = paced::parse_options(argc, argv);
    std::int64_t iteration = 0;
    auto iteration_ = job.replicate("iteration", iteration);
    auto data = job.distribute<std::int64_t>(
        "data", static_cast<std::int64_t>(options.mib * (1 << 20) / sizeof(std::int64_t)));
    if (job.fresh())
        for (std::int64_t i = 0; i < data.count(); ++i) data[i] = data.offset() + i;
    // The ranks keep the pace without messages: ranks that wait for messages would use the cores.
    auto end_of_iteration = Clock::now();
    while (iteration < options.iterations) {
        end_of_iteration += std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(options.curve.seconds(job.size()) * options.scale));
        std::this_thread::sleep_until(end_of_iteration);
        ++iteration;
        const auto answer = job.resize_point();
        if (answer == ductile::Resized::leave) return 0;
        if (answer == ductile::Resized::resized) end_of_iteration = Clock::now();
    }
    const auto mine = wrong_elements(data);
    std::int64_t wrong = 0;
    MPI_Allreduce(&mine, &wrong, 1, MPI_INT64_T, MPI_SUM, job.comm());
    if (job.rank() == 0)
        std::printf("%lld iterations on %d ranks at the end, %lld wrong elements\n",
                    static_cast<long long>(iteration), job.size(), static_cast<long long>(wrong));
    return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "paced: %s\n", error.what());
        return 1;
    }
}
