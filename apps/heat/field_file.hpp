// The file of the final field, which rank 0 writes block after block, and the checksum of the
// field.
//
// Layout, in the machine's byte order: the 8 characters "DUCTHEAT"; rows, cols, step as 64-bit
// integers; rows * cols doubles, row by row.
#pragma once

#include <mpi.h>

#include <string>

#include "heat/stencil.hpp"

namespace heat {

/// Collective over `comm`: rank 0 receives the blocks in order, writes them to the file `path`
/// (empty: no file) and returns the FNV-1a checksum of their bytes. The other ranks return 0. Rank
/// 0 holds one block of another rank at a time. Throws std::runtime_error on rank 0 when the file
/// cannot be written.
std::uint64_t write_field(MPI_Comm comm, Block block, std::int64_t step, const std::string& path);

}  // namespace heat
