// The field, plane after plane, at rank 0: what is written there, and what is read there.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>

#include "mpdata/slab.hpp"

namespace mpdata {

/// `planes` consecutive planes; the next ones come in the next call.
using PlanesSink = std::function<void(const double* values, std::int64_t planes)>;

/// Collective over `comm`, whose ranks hold the slabs of a field in order; `psi` points to the
/// first own plane, of `width` values. Rank 0 calls `sink` for all planes in order. It holds some
/// planes of one other rank at a time, at most 16 MB or one plane.
void gather_planes(MPI_Comm comm, const Slab& slab, const double* psi, std::int64_t width,
                   const PlanesSink& sink);

/// Puts the next planes there.
using PlanesSource = std::function<void(double* values, std::int64_t planes)>;

/// The other way round: rank 0 calls `source` for all planes in order, and each rank gets its own.
void scatter_planes(MPI_Comm comm, const Slab& slab, double* psi, std::int64_t width,
                    const PlanesSource& source);

/// The FNV-1a checksum of the field's bytes on rank 0, 0 on the others. Collective as above.
std::uint64_t checksum(MPI_Comm comm, const Slab& slab, const double* psi, std::int64_t width);

}  // namespace mpdata
