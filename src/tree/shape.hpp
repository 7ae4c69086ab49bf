// The shape of a balanced k-ary tree over the ranks 0 .. size-1: equations (1) to (4) and (7) of
// balanced-spanning-trees.
#pragma once

#include <cstdint>

namespace ductile::tree {

/// The most children of a process in any tree here. It bounds the size of messages.
inline constexpr int max_branching = 1024;

/// Throws std::invalid_argument unless 2 <= k <= max_branching.
void require_branching(int k);

/// Equation (1): how many children a rank has. For 6 ranks and k = 3: rank 0 has 3, rank 1 has 2,
/// the others have 0.
int child_count(int rank, int size, int k);

/// Equation (2): the rank of the parent; 0 for rank 0.
int parent_rank(int rank, int k);

/// Equation (3): the rank of child i. In the paper i runs from 0 to #children, which is one too
/// many: the right range is i = 0 .. #children - 1.
std::int64_t child_rank(int rank, int i, int k);

/// How many vertices a full tree of `height` levels has: (k^height - 1) / (k - 1). With height =
/// h - 1 this is equation (7). If the number is above the largest int, returns the largest int.
int capacity(int height, int k);

/// Equation (4): the levels of a balanced tree, ceil(log_k(size (k-1) + 1)); 0 for no vertex.
int height(int size, int k);

/// The level of a rank in a balanced tree, 0 for the root: d_{rank+1,k} - 1 in the paper's
/// notation.
int level_of(int rank, int k);

}  // namespace ductile::tree
