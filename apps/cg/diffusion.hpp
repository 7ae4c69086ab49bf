// A matrix to try the program with: diffusion on a grid whose first rows have more edges.
#pragma once

#include "cg/sparse_matrix.hpp"

namespace cg {

/// The Laplacian of a graph of side x side points. Each point has edges to its neighbours in the
/// four directions. In the first quarter of the grid's rows, a point also has edges to its diagonal
/// neighbours there, and the first point of a row has edges to all other points of the row. The
/// conductivity of an edge lies between 0.1 and 10, and depends on the numbers of its two points.
/// 0.01 is added to the diagonal of the matrix. So the matrix is symmetric and positive definite,
/// and its first rows have more entries than the last rows.
/// Precondition: side >= 4.
SparseMatrix diffusion(std::int64_t side);

}  // namespace cg
