// Where the ranks of a smaller job are among those of a larger one, so that little data move.
#pragma once

#include <vector>

#include "core/ids.hpp"

namespace ductile::plan {

/// One place of `many` for each of `few` ranks, rising, the first one 0: each of the places has, of
/// an array in blocks over `many` ranks, as much as can be of what the rank has over `few`. Of 2
/// and 4: 0 and 2. Precondition: 1 <= few <= many.
std::vector<core::Rank> spread(int few, int many);

}  // namespace ductile::plan
