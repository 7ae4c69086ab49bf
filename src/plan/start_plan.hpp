// A resize's new groups: where they start, who starts them and when, and how they connect.
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
    /// Who starts whom inside of MPI, by step; none for `launch`. Of `collective` it names the
    /// root: all sources take part.
    std::vector<Spawn> spawns;
    std::vector<SpawnStep> steps;  ///< of `hypercube` and `diffusive`, else none
    ConnectRounds rounds;          ///< among the new groups; position p is added[p]
    RankOrder order = RankOrder::append;

    /// The layout afterwards. Appended, its rank order is that of equation (9).
    [[nodiscard]] core::Layout after() const;
    bool operator==(const StartPlan&) const = default;
};

/// Plans the groups of a resize. `merge` adds target - size ranks beside those that run (S = A -
/// R); `baseline` starts all `target` ranks afresh, so that on a host old and new ones stand side
/// by side until the old ones end, and cores and memory are needed twice. Hosts are filled in the
/// allocation's order. `hypercube` and `diffusive` start one group a host, the others one group
/// over all of them. Refuses what plan_launch refuses, and a
/// `hypercube` of groups of different sizes (section 4.1: NS mod C = NT mod C = 0, C processes on
/// each host). Throws std::invalid_argument as plan_launch does.
std::variant<StartPlan, ExpandRefusal> plan_start(const core::Layout& now,
                                                  const core::Allocation& allocation,
                                                  const StartRequest& request);

}  // namespace ductile::plan
