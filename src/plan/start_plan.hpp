// The new groups of a resize: where they start, which process starts them and when, and how they
// connect.
#pragma once

#include <variant>
#include <vector>

#include "core/allocation.hpp"
#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/launch_plan.hpp"
#include "plan/methods.hpp"
#include "plan/spawn_schedule.hpp"

namespace ductile::plan {

struct StartRequest {
    Method method = Method::merge;
    Start start = Start::launch;
    int target = 0;      ///< ranks after the resize
    core::GroupId next;  ///< the lowest id that was never used
    RankOrder order = RankOrder::append;
};

struct StartPlan {
    Method method = Method::merge;
    Start start = Start::launch;
    core::Layout kept;               ///< the sources that stay: all (merge) or none (baseline)
    std::vector<core::Group> added;  ///< in the order of hosts, ids rising
    /// Which process starts which group inside MPI, by step; none for `launch`. For `collective`
    /// the entry names the root, but all sources take part.
    std::vector<Spawn> spawns;
    std::vector<SpawnStep> steps;  ///< for `hypercube` and `diffusive`, else empty
    ConnectRounds rounds;          ///< among the new groups; position p is added[p]
    RankOrder order = RankOrder::append;

    /// The layout after the resize. With `append` its rank order is that of equation (9) of
    /// parallel-spawning-strategies.
    [[nodiscard]] core::Layout after() const;
    bool operator==(const StartPlan&) const = default;
};

/// Plans the groups of a resize. `merge` adds target - size ranks beside the running ones (S = A -
/// R). `baseline` starts all `target` ranks afresh: old and new ranks share a host until the old
/// ones end, so the host needs cores and memory for both. Hosts are filled in the order of the
/// allocation. `hypercube` and `diffusive` start one group per host; the other starts start one
/// group over all hosts. Refuses what plan_launch refuses, and a `hypercube` with groups of
/// different sizes (section 4.1: NS mod C = NT mod C = 0, C processes on each host). Throws
/// std::invalid_argument as plan_launch does.
std::variant<StartPlan, ExpandRefusal> plan_start(const core::Layout& now,
                                                  const core::Allocation& allocation,
                                                  const StartRequest& request);

}  // namespace ductile::plan
