// A field in an HDF5 file: written at the end of a run, and read to continue the run.
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
/// file, some planes at a time. The file gets the name `path` when it is complete. Throws
/// std::runtime_error on rank 0 when the file cannot be written.
void write_field(MPI_Comm comm, const Grid& grid, const Slab& slab, const double* psi,
                 std::int64_t step, const std::string& path);

/// Reads such a file on rank 0, and gives each rank its planes. Returns the step on each rank.
/// Throws std::runtime_error on rank 0 when the file cannot be read, or holds a field of another
/// grid.
std::int64_t read_field(MPI_Comm comm, const Grid& grid, const Slab& slab, double* psi,
                        const std::string& path);

}  // namespace mpdata
