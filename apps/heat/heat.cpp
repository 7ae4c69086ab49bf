// The 2-D heat equation by Jacobi steps, as a malleable program: a resize moves rows of the grid.
//   ductile run --local=4 --ranks-per-host 2 -n 2 -- heat --steps 5000 --checksum
#include <cstdio>
#include <ductile/ductile.hpp>

#include "common/progress.hpp"
#include "heat/field_file.hpp"
#include "heat/halo.hpp"
#include "heat/options.hpp"
#include "heat/stencil.hpp"

namespace {

heat::Block block_of(ductile::Distributed<double>& u) {
    return {u.local(), u.offset(), u.count(), u.global_size(), u.width()};
}

int run(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const auto options = heat::parse_options(argc, argv);  // the same arguments on every rank
    std::int64_t step = 0;
    std::int64_t steps = options.steps;
    // `steps` is replicated because --until can change it: an added rank must end at the same step.
    auto step_ = job.replicate("step", step, steps);
    auto u = job.distribute<double>("u", options.rows, options.cols);
    if (job.fresh()) heat::initialise(block_of(u), options.seed);

    heat::Halo halo;
    heat::Stencil stencil;
    apps::Progress progress(options.report_every_s);
    progress.restart(step);
    while (step < steps) {
        halo.exchange(job.comm(), block_of(u));
        stencil.step(block_of(u), halo.above(), halo.below());
        ++step;
        if (!options.until.empty() && step % apps::look_every == 0 &&
            apps::is_asked_to_end(job.comm(), options.until))
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
