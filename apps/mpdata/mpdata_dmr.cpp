// mpdata.cpp through the interface of DMR, by its back end `mam` (docs/dmr.md): the program says
// which data it has, and finds them in new memory after a resize.
//   ductile run --local=4 --ranks-per-host 2 -n 2 -- mpdata_dmr sphere.toml --checksum
#include "dmr.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/progress.hpp"
#include "mpdata/field_file.hpp"
#include "mpdata/field_gather.hpp"
#include "mpdata/halo_plan.hpp"
#include "mpdata/input.hpp"
#include "mpdata/options.hpp"
#include "mpdata/picture_file.hpp"
#include "mpdata/stepper.hpp"

namespace {

/// This rank's planes of an array, between ghost planes. MaM knows only the own planes.
class Planes {
  public:
    /// `index`: counted from 0 among the arrays of the same `kind`, MAM_DATA_VARIABLE or
    /// MAM_DATA_CONSTANT, in the order of mam_set().
    Planes(std::int64_t plane, mpdata::GhostPlanes ghosts, std::size_t index, int kind)
        : plane_(plane), ghosts_(ghosts), index_(index), kind_(kind) {
        MPI_Type_contiguous(static_cast<int>(plane), MPI_DOUBLE, &slice_);
        MPI_Type_commit(&slice_);
    }
    Planes(const Planes&) = delete;
    Planes& operator=(const Planes&) = delete;
    ~Planes() { MPI_Type_free(&slice_); }

    [[nodiscard]] double* own() { return values_.data() + ghosts_.before * plane_; }
    void allocate(std::int64_t planes) {
        values_ = {};  // so that old and new planes are never in memory together
        values_.resize(
            static_cast<std::size_t>((ghosts_.before + planes + ghosts_.after) * plane_));
    }
    /// `total`: planes of all ranks.
    void mam_set(std::size_t total) {
        MAM_Data_add(own(), nullptr, total, slice_, MAM_DATA_DISTRIBUTED, kind_);
    }
    void mam_retrieve(std::int64_t planes) {
        void* arrived = nullptr;
        std::size_t total = 0;
        MAM_Data_get_pointer(&arrived, index_, &total, nullptr, MAM_DATA_DISTRIBUTED, kind_);
        const std::unique_ptr<void, decltype(&std::free)> owner(arrived, &std::free);
        allocate(planes);
        std::copy_n(static_cast<const double*>(arrived), planes * plane_, own());
        MAM_Data_modify(own(), index_, total, slice_, MAM_DATA_DISTRIBUTED, kind_);
    }

  private:
    std::int64_t plane_;
    mpdata::GhostPlanes ghosts_;
    std::size_t index_;
    int kind_;
    MPI_Datatype slice_ = MPI_DATATYPE_NULL;
    std::vector<double> values_;
};

/// The step with which the run ends. It is replicated, because `--until` can change it.
class LastStep {
  public:
    explicit LastStep(std::int64_t step) : step_(step) {}
    [[nodiscard]] std::int64_t get() const { return step_; }
    void set(std::int64_t step) { step_ = step; }
    void mam_set() {
        MAM_Data_add(&step_, nullptr, 1, MPI_INT64_T, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
    }
    void mam_retrieve() {
        void* arrived = nullptr;
        MAM_Data_get_pointer(&arrived, 0, nullptr, nullptr, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
        if (arrived == &step_) return;  // this rank is not a new one
        const std::unique_ptr<void, decltype(&std::free)> owner(arrived, &std::free);
        step_ = *static_cast<const std::int64_t*>(arrived);
        MAM_Data_modify(&step_, 0, 1, MPI_INT64_T, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
    }

  private:
    std::int64_t step_;
};

// DMR counts steps and processes with an int.
int int_of(std::int64_t number) {
    if (number > std::numeric_limits<int>::max())
        throw std::runtime_error("DMR cannot count to " + std::to_string(number));
    return static_cast<int>(number);
}

int run(int argc, char** argv) {
    const auto options = mpdata::parse_options(argc, argv);
    const auto input = mpdata::read_input(options.input);
    const mpdata::Grid& grid = input.grid;
    const auto problem = mpdata::make_problem(input.problem, grid);
    const std::int64_t halo = mpdata::halo_width(input.scheme);
    const std::int64_t planes = grid.cells[0];
    LastStep last(int_of(options.steps >= 0 ? options.steps : input.steps));

    const std::int64_t cells = mpdata::cell_plane(grid);
    Planes psi(cells, {halo, halo}, 0, MAM_DATA_VARIABLE);
    Planes density(cells, {halo, halo}, 0, MAM_DATA_CONSTANT);
    Planes x(cells, {halo, halo + mpdata::faces_behind}, 1, MAM_DATA_CONSTANT);
    Planes y(mpdata::y_plane(grid), {halo, halo}, 2, MAM_DATA_CONSTANT);
    Planes z(mpdata::z_plane(grid), {halo, halo}, 3, MAM_DATA_CONSTANT);
    const std::array all{&psi, &density, &x, &y, &z};
    const auto arrays = [&] {
        return mpdata::SlabArrays{mpdata::slab_of(planes, DMR_comm_size, DMR_comm_rank),
                                  psi.own(),
                                  density.own(),
                                  x.own(),
                                  y.own(),
                                  z.own()};
    };
    mpdata::Stepper stepper(grid, input.scheme, options.threads,
                            mpdata::last_faces(*problem, grid));
    apps::Progress progress(options.report_every_s);
    const auto begin = [&] {
        stepper.begin(DMR_COMM, arrays());
        progress.restart(DMR_it);
    };

    const auto initialise = [&] {
        for (auto* array : all) array->allocate(arrays().slab.count);
        mpdata::initialise(arrays(), *problem, grid);
        if (!options.restart.empty())
            DMR_it = int_of(
                mpdata::read_field(DMR_COMM, grid, arrays().slab, arrays().psi, options.restart));
        for (auto* array : all) array->mam_set(static_cast<std::size_t>(planes));
        last.mam_set();
        begin();
    };
    const auto mam_retrieve = [&] {
        for (auto* array : all) array->mam_retrieve(arrays().slab.count);
        last.mam_retrieve();
        begin();
    };
    const auto conclude = [&] {
        stepper.settle();
        mpdata::draw_picture(DMR_COMM, grid, arrays().slab, stepper.field(), DMR_it,
                             options.picture);
        if (!options.field.empty())
            mpdata::write_field(DMR_COMM, grid, arrays().slab, arrays().psi, DMR_it, options.field);
        if (!options.checksum) return;
        const auto sum = mpdata::checksum(DMR_COMM, arrays().slab, arrays().psi, cells);
        if (DMR_comm_rank == 0)
            std::printf("step %d  checksum %016llx\n", DMR_it,
                        static_cast<unsigned long long>(sum));
    };

    DMR_INIT(initialise(), mam_retrieve());
    DMR_Set_parameters(1, int_of(planes));  // a rank without planes has nothing to do
    while (DMR_it < last.get()) {
        stepper.step();
        ++DMR_it;
        if (!options.until.empty() && DMR_it % apps::look_every == 0 &&
            apps::is_asked_to_end(DMR_COMM, options.until))
            last.set(DMR_it);
        if (DMR_it % mpdata::picture_every == 0)
            mpdata::draw_picture(DMR_COMM, grid, arrays().slab, stepper.field(), DMR_it,
                                 options.picture);
        if (DMR_comm_rank == 0) progress.tell(DMR_it, DMR_comm_size);
        // After two steps the field is where MaM looks for it, so settle() has nothing to copy.
        if (DMR_it % 2 != 0) continue;
        stepper.settle();
        DMR_RECONFIGURATION(mam_retrieve());
    }
    DMR_FINALIZE(conclude());
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
        std::fprintf(stderr, "mpdata_dmr: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
}
