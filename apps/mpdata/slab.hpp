// A slab: consecutive planes of the grid along its first dimension, with ghost planes on each side.
#pragma once

#include <cstdint>

#include "mpdata/grid.hpp"

namespace mpdata {

/// Planes [offset, offset + count) of the grid.
struct Slab {
    std::int64_t offset = 0;
    std::int64_t count = 0;
};

/// The arrays of a slab that a step reads. Each pointer points to the slab's first own plane. The
/// ghost planes (halo_width()) before and behind the own planes can be read, too, except beyond an
/// open boundary, where no plane is read. `x`, `y` and `z` are Courant numbers times the density,
/// at faces. Plane i of `x` lies before plane i of cells, so `x` has one plane more. Each plane of
/// `y` has one row more, and each row of `z` one value more. With a periodic boundary the last face
/// is the first face, and has the same value.
struct SlabFields {
    const double* psi = nullptr;
    const double* density = nullptr;
    const double* x = nullptr;
    const double* y = nullptr;
    const double* z = nullptr;
};

}  // namespace mpdata
