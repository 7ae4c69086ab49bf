// Plans as tables that a person can check against the paper (`ductile plan`, `--dry-run`).
#pragma once

#include <string>

#include "core/allocation.hpp"
#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/shrink_plan.hpp"
#include "plan/start_plan.hpp"

namespace ductile::plan {

/// Hosts with slots (A), running (R) and to start (S), the new groups with their final ranks, and
/// the connection rounds; of a parallel start its steps (the paper's Table 2) and who starts whom:
/// `g0.1` is rank 1 of group 0 in its MCW. Each line ends in a newline. 1 -> 3 ranks on hosts of
/// one slot by `launch`:
/// ```
/// expand 1 -> 3 ranks, 1 new group (merge, launch)
/// host  slots  running  free  group  starts  ranks
/// a         1        1     0  -           0  -
/// b         1        0     1  g1          1  1
/// c         1        0     1  g1          1  2
/// ```
std::string to_table(const StartPlan& plan, const core::Layout& before,
                     const core::Allocation& allocation);

/// Ranks by host and group, how many of them leave or park, the ranks of those that stay before and
/// after, and the hosts that become free.
std::string to_table(const ShrinkPlan& plan, const core::Layout& before,
                     const core::Allocation& allocation);

/// The rounds by positions of groups: who accepts, who connects, and the merged order of ranks.
std::string to_table(const ConnectRounds& rounds);

}  // namespace ductile::plan
