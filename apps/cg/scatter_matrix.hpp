// Sends the rows of a matrix from rank 0 to the ranks that will hold them.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "cg/ghosts.hpp"
#include "cg/sparse_matrix.hpp"

namespace cg {

/// Returns the row starts of rank 0's matrix, on all ranks. Collective.
std::vector<std::int64_t> share_starts(MPI_Comm comm, const SparseMatrix& matrix);

/// Lengths of the rows of a block.
std::vector<std::int64_t> lengths_of(const std::vector<std::int64_t>& starts, const Block& block);

/// The blocks of all ranks. Collective.
std::vector<Block> share_blocks(MPI_Comm comm, const Block& mine);

/// Writes the entries of this rank's rows to `mine`. `matrix` is used only on rank 0. Collective.
void scatter_matrix(MPI_Comm comm, const SparseMatrix& matrix, std::span<const Block> blocks,
                    std::span<Entry> mine);

}  // namespace cg
