// A field in an HDF5 file: written at the end of a run, read to go on with it.
//
// Layout: the dataset "psi", cells along each dimension, of 64-bit floating-point numbers, and its
// attribute "step", a 64-bit integer.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpdata/grid.hpp"
#include "mpdata/slab.hpp"

namespace mpdata {

/// Collective over `comm`, whose ranks hold the slabs of the field in order: rank 0 writes the
/// file, some planes at a time, and gives it its name when it is whole. Throws std::runtime_error
/// on rank 0 when that fails.
void write_field(MPI_Comm comm, const Grid& grid, const Slab& slab, const double* psi,
                 std::int64_t step, const std::string& path);

/// The other way round; returns the step on each rank. Throws std::runtime_error on rank 0 when the
/// file cannot be read, or holds a field of another grid.
std::int64_t read_field(MPI_Comm comm, const Grid& grid, const Slab& slab, double* psi,
                        const std::string& path);

}  // namespace mpdata
