// What one process knows about a process group (balanced-spanning-trees): its rank, and its
// neighbours in the tree of the group.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/ids.hpp"

namespace ductile::tree {

/// A process of the job, by its rank in the job's communicator. Not a rank in a group.
using ProcessId = core::Id<struct ProcessTag>;
/// Identifies one of the groups that one enrolment makes.
using Colour = core::Id<struct ColourTag>;

/// A child in the tree of a group. With preorder numbering, the ranks below it follow its own rank.
struct Child {
    ProcessId id;
    int rank = 0;
    bool operator==(const Child&) const = default;
};

/// How the ranks of a group are numbered in its tree.
enum class Numbering {
    by_level,  ///< as in equations (1) to (3): the children of r are k r + 1 .. k r + k
    preorder,  ///< a vertex first, then its children's subtrees, one after another
};

/// All that a member stores about its group: O(k), whatever the size of the group.
struct TreePosition {
    ProcessId self;
    int rank = 0;
    int size = 0;   ///< members of the group
    int level = 0;  ///< 0 for the root, which has rank 0
    int label = 0;  ///< at enrolment, no other live group of a process of the parent had it
    Numbering numbering = Numbering::by_level;
    std::optional<ProcessId> parent;
    std::vector<Child> children;  ///< by rank

    bool operator==(const TreePosition&) const = default;
    [[nodiscard]] std::size_t bytes() const {
        return sizeof(*this) + children.capacity() * sizeof(Child);
    }
};

/// The position of process `self` in the group of all processes 0 .. size-1 of a job. The tree is
/// the balanced k-ary tree, and the ranks are the ids.
TreePosition position_in_job(ProcessId self, int size, int k);

}  // namespace ductile::tree
