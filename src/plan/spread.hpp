// Which ranks of a larger job are the ranks of a smaller job, so that little data moves.
#pragma once

#include <vector>

#include "core/ids.hpp"

namespace ductile::plan {

/// For each rank of a job of `few` ranks, the rank that it has in a job of `many` ranks, in
/// ascending order. Rank 0 stays rank 0. Each rank has one block of an array in either job. Each
/// new rank is chosen so that its block has as much as possible in common with the old block.
/// Example: spread(2, 4) returns 0 and 2. Precondition: 1 <= few <= many.
std::vector<core::Rank> spread(int few, int many);

}  // namespace ductile::plan
