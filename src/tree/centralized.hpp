// The reference algorithm (balanced-spanning-trees, section IV): a gather of all members at the
// root, whose list is split on the way down. O(m) memory at the roots, on purpose.
#pragma once

#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// What the root of the parent group makes of the whole roster: a part for each colour, sent to its
/// first member, or returned where that is the root itself. The root of the parent leads its group
/// if it is a member, else the first that is listed does.
std::vector<Part> parts_of(ProcessId self, Roster roster, Outbox& out);

/// A member that has got its part: the list less itself is split into k parts whose sizes differ by
/// at most one, and each goes to its first member, a child. Halving by k keeps equation (4)'s
/// height.
TreePosition take_part(ProcessId self, std::optional<ProcessId> parent, const Part& part,
                       int branching, Outbox& out);

}  // namespace ductile::tree
