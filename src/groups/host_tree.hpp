// Groups whose trees have as few edges between hosts as possible.
#pragma once

#include <optional>

#include "groups/group_space.hpp"
#include "tree/method.hpp"

namespace ductile::groups {

/// As GroupSpace::enrol, but the new tree has one edge to each host except the root's. The members
/// of each host have a tree of their own. Its root, the leader of the host, has a place in a tree
/// of leaders. A leader has up to 2 k children (k: the branching). This costs the messages of two
/// enrolments, of a pass up and down the tree of leaders for the ranks, and of a broadcast on each
/// host. Ranks are in preorder. Not for shrink-and-hash, whose ranks are not in preorder.
/// Collective over the parent group. Throws InputError if the colour is too large to be combined
/// with a host, and SystemError if the leader of this host has failed. Also throws what
/// GroupSpace::enrol throws.
std::optional<tree::TreePosition> enrol_by_host(GroupSpace& space, GroupKey enrolment,
                                                const tree::Method& method,
                                                const tree::TreePosition& position,
                                                std::optional<tree::Colour> own);

/// The position of one member in the whole tree, from its positions in both trees. `host`: its
/// position in the tree of its host, with ranks and levels counted from the host's leader.
/// `leaders`: its position in the tree of leaders, in which children have ranks of the whole group;
/// none if the member is no leader. `first`, `level`: rank and level of its host's leader. `size`:
/// of the whole group.
tree::TreePosition join_trees(const tree::TreePosition& host,
                              const std::optional<tree::TreePosition>& leaders, int first,
                              int level, int size);

}  // namespace ductile::groups
