// Checks whether the positions of the members form one tree. Tests and studies use this.
#pragma once

#include <string>
#include <vector>

#include "tree/tree_position.hpp"

namespace ductile::tree {

struct TreeFacts {
    int members = 0;
    int height = 0;          ///< levels
    int largest_degree = 0;  ///< the most children of a vertex
};

/// The shape of the tree that the positions of one group form, given in any order. Throws
/// std::logic_error, which names the process and the mistake, unless: every member is there once,
/// with a rank of its own out of 0 .. m-1; all know m and the same label; parents and children
/// agree and are members; the root has rank 0; each level is one more than the parent's; and the
/// ranks of children rise, and are larger than the rank of their parent.
TreeFacts check_tree(const std::vector<TreePosition>& positions);

}  // namespace ductile::tree
