// 3-D advection by MPDATA, as a malleable program: a resize moves planes of the grid.
// mpdata_rigid.cpp is the same program on a fixed number of ranks.
//   ductile run --local=4 --ranks-per-host 2 -n 2 -- mpdata sphere.toml --checksum
#include <mpi.h>

#include <cstdio>
#include <ductile/ductile.hpp>
#include <exception>

#include "common/progress.hpp"
#include "mpdata/field_file.hpp"
#include "mpdata/field_gather.hpp"
#include "mpdata/input.hpp"
#include "mpdata/options.hpp"
#include "mpdata/picture_file.hpp"
#include "mpdata/stepper.hpp"

namespace {

using Array = ductile::Distributed<double>;

int run(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const auto options = mpdata::parse_options(argc, argv);
    const auto input = mpdata::read_input(options.input);
    const mpdata::Grid& grid = input.grid;
    const auto problem = mpdata::make_problem(input.problem, grid);
    const std::int64_t halo = mpdata::halo_width(input.scheme);
    std::int64_t step = 0;
    std::int64_t steps = options.steps >= 0 ? options.steps : input.steps;
    auto steps_ = job.replicate("steps", step, steps);

    const auto array = [&](const char* name, std::int64_t plane, std::int64_t behind) {
        return job.distribute<double>(name, grid.cells[0], plane, {halo, behind});
    };
    Array psi = array("psi", mpdata::cell_plane(grid), halo);
    Array density = array("density", mpdata::cell_plane(grid), halo);
    Array x = array("x", mpdata::cell_plane(grid), halo + mpdata::faces_behind);
    Array y = array("y", mpdata::y_plane(grid), halo);
    Array z = array("z", mpdata::z_plane(grid), halo);
    const auto arrays = [&] {
        const auto own = [](Array& a) { return a.local().data(); };
        return mpdata::SlabArrays{
            {psi.offset(), psi.count()}, own(psi), own(density), own(x), own(y), own(z)};
    };
    if (job.fresh()) {
        mpdata::initialise(arrays(), *problem, grid);
        if (!options.restart.empty())
            step =
                mpdata::read_field(job.comm(), grid, arrays().slab, arrays().psi, options.restart);
    }

    mpdata::Stepper stepper(grid, input.scheme, options.threads,
                            mpdata::last_faces(*problem, grid));
    job.on_rebuild([&] { stepper.begin(job.comm(), arrays()); });
    job.before_move([&] { stepper.settle(); });
    apps::Progress progress(options.report_every_s);
    progress.restart(step);
    while (step < steps) {
        stepper.step();
        ++step;
        if (!options.until.empty() && step % apps::look_every == 0 &&
            apps::is_asked_to_end(job.comm(), options.until))
            steps = step;
        if (step % mpdata::picture_every == 0)
            mpdata::draw_picture(job.comm(), grid, arrays().slab, stepper.field(), step,
                                 options.picture);
        if (job.rank() == 0) progress.tell(step, job.size());
        const auto answer = job.resize_point();
        if (answer == ductile::Resized::leave) return 0;
        if (answer == ductile::Resized::resized) progress.restart(step);
    }
    stepper.settle();
    mpdata::draw_picture(job.comm(), grid, arrays().slab, stepper.field(), step, options.picture);
    if (!options.field.empty())
        mpdata::write_field(job.comm(), grid, arrays().slab, arrays().psi, step, options.field);
    if (!options.checksum) return 0;
    const auto sum =
        mpdata::checksum(job.comm(), arrays().slab, arrays().psi, mpdata::cell_plane(grid));
    if (job.rank() == 0)
        std::printf("step %lld  checksum %016llx\n", static_cast<long long>(step),
                    static_cast<unsigned long long>(sum));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mpdata: %s\n", error.what());
        return 1;
    }
}
