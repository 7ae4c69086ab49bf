// Groups whose trees cross from host to host as seldom as can be.
#pragma once

#include <optional>

#include "groups/group_space.hpp"
#include "tree/method.hpp"

namespace ductile::groups {

/// As GroupSpace::enrol, but the new tree has one edge to each host but the root's: the members of
/// each host have a tree of their own, and its root, the host's leader, has a place in a tree of
/// leaders. A leader has up to 2 k children. Three enrolments' worth of messages and a pass over
/// the leaders for the ranks, which are in preorder. Not for shrink-and-hash, whose ranks are not.
/// Collective over the parent group. Throws InputError for a colour beyond what a colour and a host
/// fit into together.
std::optional<tree::TreePosition> enrol_by_host(GroupSpace& space, GroupKey enrolment,
                                                const tree::Method& method,
                                                const tree::TreePosition& position,
                                                std::optional<tree::Colour> own);

/// What follows at one member from its positions in both trees. `host`: in that of its host, ranks
/// and levels counted from its leader's; `leaders`: in that of the leaders, none for other members,
/// the children's ranks being those of the whole group; `first`, `level`: of its host's leader.
tree::TreePosition join_trees(const tree::TreePosition& host,
                              const std::optional<tree::TreePosition>& leaders, int first,
                              int level, int size);

}  // namespace ductile::groups
