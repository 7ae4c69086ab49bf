#include "mpdata/stepper.hpp"

#include <algorithm>

namespace mpdata {

Stepper::Stepper(const Grid& grid, const Scheme& scheme, int threads,
                 std::vector<double> last_faces)
    : grid_(grid),
      halo_(halo_width(scheme)),
      last_faces_(std::move(last_faces)),
      advection_(grid, scheme, threads) {}

void Stepper::begin(MPI_Comm comm, const SlabArrays& arrays) {
    arrays_ = arrays;
    const std::int64_t plane = cell_plane(grid_);
    other_.assign(static_cast<std::size_t>((arrays.slab.count + 2 * halo_) * plane), 0.0);
    now_ = arrays.psi;
    next_ = other_.data() + halo_ * plane;
    const auto exchange = [&](std::int64_t more) {
        return HaloExchange(comm, grid_.cells[0], {halo_, halo_ + more}, grid_.is_periodic(0));
    };
    exchange_ = exchange(0);
    exchange_->run(arrays.density, plane);
    exchange_->run(arrays.y, y_plane(grid_));
    exchange_->run(arrays.z, z_plane(grid_));
    exchange(faces_behind).run(arrays.x, plane);
    set_last_faces(arrays, grid_, halo_, last_faces_);
}

void Stepper::step() {
    exchange_->run(now_, cell_plane(grid_));
    advection_.step(arrays_.slab, arrays_.with(now_), next_);
    std::swap(now_, next_);
}

void Stepper::settle() {
    if (now_ == arrays_.psi) return;
    std::copy_n(now_, arrays_.slab.count * cell_plane(grid_), arrays_.psi);
    std::swap(now_, next_);
}

}  // namespace mpdata
