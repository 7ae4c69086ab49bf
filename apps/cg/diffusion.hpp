// A matrix to try the program with: diffusion on a grid that is finer in one corner.
#pragma once

#include "cg/sparse_matrix.hpp"

namespace cg {

/// The Laplacian of a graph of side x side points, each joined to its neighbours in the four
/// directions; in the first quarter of the rows, to those along the diagonals, too, and the first
/// point of each of these rows to all others of its row. The conductivity of an edge lies between
/// 0.1 and 10 and goes by the points' numbers; a hundredth is added to the diagonal. So the matrix
/// is symmetric and positive definite, and its first rows have more entries than the last.
/// Precondition: side >= 4.
SparseMatrix diffusion(std::int64_t side);

}  // namespace cg
