// 3-D advection by MPDATA on a fixed number of ranks. mpdata.cpp is the malleable version.
//   mpiexec -n 4 mpdata_rigid sphere.toml --checksum
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "common/progress.hpp"
#include "mpdata/field_file.hpp"
#include "mpdata/field_gather.hpp"
#include "mpdata/input.hpp"
#include "mpdata/options.hpp"
#include "mpdata/picture_file.hpp"
#include "mpdata/stepper.hpp"

namespace {

using Array = std::vector<double>;

int run(int argc, char** argv) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    const auto options = mpdata::parse_options(argc, argv);
    const auto input = mpdata::read_input(options.input);
    const mpdata::Grid& grid = input.grid;
    const auto problem = mpdata::make_problem(input.problem, grid);
    const std::int64_t halo = mpdata::halo_width(input.scheme);
    std::int64_t step = 0;
    std::int64_t steps = options.steps >= 0 ? options.steps : input.steps;
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);

    const mpdata::Slab slab = mpdata::slab_of(grid.cells[0], ranks, rank);
    const auto array = [&](std::int64_t plane, std::int64_t behind) {
        return Array(static_cast<std::size_t>((halo + slab.count + behind) * plane));
    };
    Array psi = array(mpdata::cell_plane(grid), halo);
    Array density = array(mpdata::cell_plane(grid), halo);
    Array x = array(mpdata::cell_plane(grid), halo + mpdata::faces_behind);
    Array y = array(mpdata::y_plane(grid), halo);
    Array z = array(mpdata::z_plane(grid), halo);
    const auto arrays = [&] {
        const auto own = [&](Array& a, std::int64_t plane) { return a.data() + halo * plane; };
        return mpdata::SlabArrays{slab,
                                  own(psi, mpdata::cell_plane(grid)),
                                  own(density, mpdata::cell_plane(grid)),
                                  own(x, mpdata::cell_plane(grid)),
                                  own(y, mpdata::y_plane(grid)),
                                  own(z, mpdata::z_plane(grid))};
    };
    mpdata::initialise(arrays(), *problem, grid);
    if (!options.restart.empty())
        step = mpdata::read_field(comm, grid, slab, arrays().psi, options.restart);

    mpdata::Stepper stepper(grid, input.scheme, options.threads,
                            mpdata::last_faces(*problem, grid));
    stepper.begin(comm, arrays());
    apps::Progress progress(options.report_every_s);
    while (step < steps) {
        stepper.step();
        ++step;
        if (!options.until.empty() && step % apps::look_every == 0 &&
            apps::is_asked_to_end(comm, options.until))
            steps = step;
        if (step % mpdata::picture_every == 0)
            mpdata::draw_picture(comm, grid, slab, stepper.field(), step, options.picture);
        if (rank == 0) progress.tell(step, ranks);
    }
    stepper.settle();
    mpdata::draw_picture(comm, grid, slab, stepper.field(), step, options.picture);
    if (!options.field.empty())
        mpdata::write_field(comm, grid, slab, arrays().psi, step, options.field);
    if (!options.checksum) return 0;
    const auto sum = mpdata::checksum(comm, slab, arrays().psi, mpdata::cell_plane(grid));
    if (rank == 0)
        std::printf("step %lld  checksum %016llx\n", static_cast<long long>(step),
                    static_cast<unsigned long long>(sum));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    try {
        const int status = run(argc, argv);
        MPI_Finalize();
        return status;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mpdata: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
}
