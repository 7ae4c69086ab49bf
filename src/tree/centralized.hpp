// The reference algorithm (balanced-spanning-trees, section IV). The root gathers all members in a
// list, and the list is split on the way down. The roots use O(m) memory, on purpose.
#pragma once

#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// The root of the parent group splits the whole roster into one part per colour. It sends each
/// part to the part's first member, or returns the part if that is the root itself. The root of the
/// parent leads its group if it is a member. Otherwise the first listed member leads.
std::vector<Part> parts_of(ProcessId self, Roster roster, Outbox& out);

/// A member has received its part. It splits the list, without itself, into k parts whose sizes
/// differ by at most one. Each part goes to its first member, which becomes a child. Splitting by k
/// keeps the height of equation (4).
TreePosition take_part(ProcessId self, std::optional<ProcessId> parent, const Part& part,
                       int branching, Outbox& out);

}  // namespace ductile::tree
