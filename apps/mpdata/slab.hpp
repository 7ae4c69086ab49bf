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

/// What a step reads of a slab. Each pointer is to the slab's first own plane; `halo` planes before
/// and behind the own ones are there, too, except beyond an open boundary, where none is read.
/// Courant numbers are those times the density, at faces: plane i of `x` lies before plane i of
/// cells, so `x` has a plane more; in each plane of `y` there is a row more, in each row of `z` a
/// value more. With a periodic boundary the last face is the first one and has the same value.
struct SlabFields {
    const double* psi = nullptr;
    const double* density = nullptr;
    const double* x = nullptr;
    const double* y = nullptr;
    const double* z = nullptr;
};

}  // namespace mpdata
