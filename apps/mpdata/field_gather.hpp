// Gathers a field at rank 0 plane after plane, and scatters a field from rank 0.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>

#include "mpdata/slab.hpp"

namespace mpdata {

/// Receives the next `planes` planes.
using PlanesSink = std::function<void(const double* values, std::int64_t planes)>;

/// Collective over `comm`, whose ranks hold the slabs of a field in order; `psi` points to the
/// first own plane, of `width` values. Rank 0 calls `sink` for all planes in order. It holds some
/// planes of one other rank at a time: at most 16 MiB, or one plane if this is larger.
void gather_planes(MPI_Comm comm, const Slab& slab, const double* psi, std::int64_t width,
                   const PlanesSink& sink);

/// Writes the next `planes` planes to `values`.
using PlanesSource = std::function<void(double* values, std::int64_t planes)>;

/// The reverse: rank 0 calls `source` for all planes in order, and each rank gets its own.
void scatter_planes(MPI_Comm comm, const Slab& slab, double* psi, std::int64_t width,
                    const PlanesSource& source);

/// Returns the FNV-1a checksum of the field's bytes on rank 0, and 0 on the other ranks. Collective
/// over `comm`.
std::uint64_t checksum(MPI_Comm comm, const Slab& slab, const double* psi, std::int64_t width);

}  // namespace mpdata
