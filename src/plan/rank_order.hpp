// The rank of every process after an expansion: equation (9) of parallel-spawning-strategies.
#pragma once

#include <vector>

#include "core/ids.hpp"
#include "core/layout.hpp"

namespace ductile::plan {

/// The rank of a process after the expansion. A source keeps its rank. A newcomer's rank is
///   in_group + (ranks before) + (ranks of the added groups with a lower id)          (equation 9)
/// where `in_group` is its rank in its MPI_COMM_WORLD. Throws std::out_of_range if the group is in
/// neither list or has no such rank.
///
/// Example: before g0 with 2 ranks; added g1 with 2 and g2 with 3. Rank 1 of g2 becomes 1 + 2 + 2 =
/// 5; rank 1 of g0 stays 1. The order of `added` does not matter.
core::Rank final_rank(const core::Layout& before, const std::vector<core::Group>& added,
                      core::GroupId group, core::Rank in_group);

/// The same, but counted among the newcomers only. The newcomers split their merged communicator by
/// this key, before they meet the sources. In the example above rank 1 of g2 has key 3.
int order_key(const std::vector<core::Group>& added, core::GroupId group, core::Rank in_group);

}  // namespace ductile::plan
