// The final field: written to a file by rank 0, block after block, and its checksum.
//
// Layout, in the machine's byte order: the 8 characters "DUCTHEAT"; rows, cols, step as 64-bit
// integers; rows * cols doubles, row by row.
#pragma once

#include <mpi.h>

#include <string>

#include "heat/stencil.hpp"

namespace heat {

/// Collective over `comm`: rank 0 takes the blocks in order, writes them to `path` (empty: nowhere)
/// and returns the FNV-1a checksum of their bytes; the other ranks return 0. One block at a time is
/// in memory. Throws std::runtime_error on rank 0 when the file cannot be written.
std::uint64_t write_field(MPI_Comm comm, Block block, std::int64_t step, const std::string& path);

}  // namespace heat
