// Whether the positions that members were given are one tree: what every test and study asks.
#pragma once

#include <string>
#include <vector>

#include "tree/tree_position.hpp"

namespace ductile::tree {

struct TreeFacts {
    int members = 0;
    int height = 0;          ///< levels
    int largest_degree = 0;  ///< most children of a vertex
};

/// The shape of the tree that these positions of one group make up, in any order. Throws
/// std::logic_error, with the process and what is wrong, unless every member sits there once with a
/// rank of its own out of 0 .. m-1 and knows m and one label, parents and children agree, no
/// stranger is named, the root has rank 0, every level is one more than that of the parent, and
/// children's ranks are those that the numbering says.
TreeFacts check_tree(const std::vector<TreePosition>& positions);

}  // namespace ductile::tree
