// A picture of the field, seen along the third dimension: it has the largest value of each row.
//
// Layout, in the machine's byte order, which `ductile report --field` reads: the 8 characters
// "DUCTADVE"; rows, cols, step as 64-bit integers; rows * cols doubles, row by row. A row is a
// plane of the grid.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpdata/grid.hpp"
#include "mpdata/slab.hpp"

namespace mpdata {

/// The number of steps from one picture to the next.
constexpr std::int64_t picture_every = 16;

/// Collective over `comm`, whose ranks hold the slabs of the field in order: rank 0 writes the
/// picture. The file gets the name `path` when it is complete. Does nothing if `path` is empty.
/// Throws std::runtime_error on rank 0 when the file cannot be written.
void draw_picture(MPI_Comm comm, const Grid& grid, const Slab& slab, const double* psi,
                  std::int64_t step, const std::string& path);

}  // namespace mpdata
