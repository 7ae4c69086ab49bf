// The shape of a balanced k-ary tree over the ranks 0 .. size-1: equations (1) to (4) and (7) of
// balanced-spanning-trees.
#pragma once

#include <cstdint>

namespace ductile::tree {

/// The most children a process may be given in any tree here; bounds what a message may hold.
inline constexpr int max_branching = 1024;

/// Throws std::invalid_argument unless 2 <= k <= max_branching.
void require_branching(int k);

/// Equation (1): how many children a rank has. Of 6 ranks with k = 3: 3 for rank 0, 2 for rank 1,
/// 0 for the others.
int child_count(int rank, int size, int k);

/// Equation (2): the rank above; 0 for rank 0.
int parent_rank(int rank, int k);

/// Equation (3): the rank of child i. The paper lets i run from 0 to #children, one too many:
/// i = 0 .. #children - 1.
std::int64_t child_rank(int rank, int i, int k);

/// Equation (7), for a child with h = height: the vertices of a full tree of that many levels,
/// (k^height - 1) / (k - 1). Never more than the largest int, which stands for "enough".
int capacity(int height, int k);

/// Equation (4): the levels of a balanced tree, ceil(log_k(size (k-1) + 1)); 0 for no vertex.
int height(int size, int k);

/// The level of a rank in a balanced tree, 0 for the root: d_{rank+1,k} - 1 in the paper's words.
int level_of(int rank, int k);

}  // namespace ductile::tree
