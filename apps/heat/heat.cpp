// 2-D heat equation, Jacobi, on a grid whose rows follow the job over resizes.
//   ductile run --local=4 --ranks-per-host 2 -n 2 -- heat --steps 5000 --checksum
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ductile/ductile.hpp>

#include "heat/field_file.hpp"
#include "heat/halo.hpp"
#include "heat/options.hpp"
#include "heat/stencil.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// How often rank 0 looks for the file that ends the program, in steps; all ranks look together.
constexpr std::int64_t look_every = 16;

heat::Block block_of(ductile::Distributed<double>& u) {
    return {u.local(), u.offset(), u.count(), u.global_size(), u.width()};
}

// Collective: rank 0's view counts.
bool is_asked_to_end(const ductile::Job& job, const std::string& file) {
    int asked = job.rank() == 0 && ::access(file.c_str(), F_OK) == 0 ? 1 : 0;
    MPI_Bcast(&asked, 1, MPI_INT, 0, job.comm());
    return asked != 0;
}

// Prints the pace now and then, by rank 0 alone.
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
    double every_s_;
    Clock::time_point since_ = Clock::now();
    std::int64_t first_ = 0;
};

int run(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const auto options = heat::parse_options(argc, argv);  // the same words on every rank
    std::int64_t step = 0;
    std::int64_t steps = options.steps;
    // Who joins when the others have been asked to end is to end with them.
    auto step_ = job.replicate("step", step, steps);
    auto u = job.distribute<double>("u", options.rows, options.cols);
    if (job.fresh()) heat::initialise(block_of(u), options.seed);

    heat::Halo halo;
    heat::Stencil stencil;
    Progress progress(options.report_every_s);
    progress.restart(step);
    while (step < steps) {
        halo.exchange(job.comm(), block_of(u));
        stencil.step(block_of(u), halo.above(), halo.below());
        ++step;
        if (!options.until.empty() && step % look_every == 0 && is_asked_to_end(job, options.until))
            steps = step;
        if (job.rank() == 0) progress.tell(step, job.size());
        const auto answer = job.resize_point();
        if (answer == ductile::Resized::leave) return 0;
        if (answer == ductile::Resized::resized) progress.restart(step);
    }
    if (options.field.empty() && !options.checksum) return 0;
    const auto checksum = heat::write_field(job.comm(), block_of(u), step, options.field);
    if (job.rank() == 0 && options.checksum)
        std::printf("field %lld x %lld  step %lld  checksum %016llx\n",
                    static_cast<long long>(options.rows), static_cast<long long>(options.cols),
                    static_cast<long long>(step), static_cast<unsigned long long>(checksum));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "heat: %s\n", error.what());
        return 1;
    }
}
