// The numbers of the ranks of a job on each host, by which programs choose a GPU. Pure.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "broker/group_table.hpp"
#include "core/layout.hpp"
#include "resize/resize_plan.hpp"

namespace ductile::broker {

/// Gives each rank the smallest number that no living process of the job has on its host. So the
/// numbers are below the slots of the host, unless more processes run there.
///
/// Example: ranks 0 and 2 live on a host. A group of 2 ranks gets 1 and 3 there.
class LocalRankAllotment {
  public:
    /// `members_leave`: the ranks of the job leave when the new ranks come, and hand their numbers
    /// on. During the resize two processes have the same.
    LocalRankAllotment(const GroupTable& table, bool members_leave);
    /// The new ranks of this resize keep the numbers that the plan has for them, although their
    /// processes may not have been started.
    void reserve(const resize::ResizePlan& plan);
    /// The numbers of the ranks of the group, in their order. They are taken from now on.
    std::vector<int> allot(const core::Group& group);

  private:
    std::map<core::HostIndex, std::set<int>> taken_;
};

/// The numbers of all processes of the job after the resize.
core::LocalRanks local_ranks_after(const resize::ResizePlan& plan, const GroupTable& table);

/// The numbers of the ranks of the group on one of its hosts, in the order of ranks.
std::vector<core::Rank> local_ranks_on(core::HostIndex host, const GroupState& state);

}  // namespace ductile::broker
