// Plans as tables that a person can check against parallel-spawning-strategies (`ductile plan`,
// `--dry-run`).
#pragma once

#include <string>

#include "core/allocation.hpp"
#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/shrink_plan.hpp"
#include "plan/start_plan.hpp"

namespace ductile::plan {

/// The hosts with their slots (A), running ranks (R) and ranks to start (S), the new groups with
/// their final ranks, and the connection rounds. For a parallel start also its steps (the paper's
/// Table 2), and which rank starts which group: `g0.1` is rank 1 of group 0 in its MPI_COMM_WORLD.
/// Each line ends in a newline. Example: 1 -> 3 ranks by `launch`, on hosts with one slot:
/// ```
/// expand 1 -> 3 ranks, 1 new group (merge, launch)
/// host  slots  running  free  group  starts  ranks
/// a         1        1     0  -           0  -
/// b         1        0     1  g1          1  1
/// c         1        0     1  g1          1  2
/// ```
std::string to_table(const StartPlan& plan, const core::Layout& before,
                     const core::Allocation& allocation);

/// A row for the ranks of each host and group: how many of them leave or park, and which ranks the
/// others have after the shrink. Then the hosts that become free.
std::string to_table(const ShrinkPlan& plan, const core::Layout& before,
                     const core::Allocation& allocation);

/// The rounds: which group accepts, which group connects, and the merged groups in the order of
/// their ranks. A number is the position of a group among the new groups.
std::string to_table(const ConnectRounds& rounds);

}  // namespace ductile::plan
