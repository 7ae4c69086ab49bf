#include "broker/leave_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/counted.hpp"
#include "plan/plan_table.hpp"
#include "plan/shrink_plan.hpp"

namespace ductile::broker {

namespace {

using core::HostIndex;

/// Releases the last `ranks` ranks on the hosts that stay.
void release_last(std::vector<plan::Release>& releases, int ranks, const JobView& job) {
    std::map<HostIndex, int> more;
    const auto goes = [&releases](HostIndex host) {
        return std::ranges::find(releases, host, &plan::Release::host) != releases.end();
    };
    for (int rank = job.layout.size() - 1; ranks > 0; --rank) {
        const auto host = job.layout.host_of(core::Rank{rank});
        if (goes(host)) continue;
        ++more[host];
        --ranks;
    }
    for (const auto& [host, count] : more) releases.push_back({host, count});
}

std::string names_of(const std::vector<plan::Release>& releases, const JobView& job) {
    std::string names;
    for (const auto& one : releases)
        names += (names.empty() ? "" : ", ") + job.allocation.at(one.host).name;
    return names;
}

}  // namespace

Planned plan_to_leave(const std::map<HostIndex, WallTime>& hosts, const JobView& job) {
    std::vector<plan::Release> releases;
    int staying = job.layout.size();
    for (const auto& [host, deadline] : hosts) {
        const int ranks = job.layout.ranks_on(host);
        if (ranks > 0) releases.push_back({host});
        staying -= ranks;
    }
    if (releases.empty()) return NothingToDo{"the job has no ranks on hosts that are taken back"};
    const auto refused = [&](const std::string& why) {
        return Refused{fmt::format("without {} the job would have {}, and {}",
                                   names_of(releases, job), core::counted(staying, "rank"), why)};
    };
    if (staying == 0) return refused("a job keeps at least 1 rank");
    const auto size = largest_allowed({1, staying}, job.limits);
    if (!size) return refused(*objection(job.limits, staying));
    release_last(releases, staying - *size, job);
    const auto planned = plan::plan_release(job.layout, releases, job.allocation);
    if (const auto* refusal = std::get_if<plan::ShrinkRefusal>(&planned))
        return Refused{refusal->reason};
    const auto& shrink = std::get<plan::ShrinkPlan>(planned);
    PlannedResize resize;
    resize.after = shrink.after;
    resize.strategy.redistribution = job.strategy.redistribution;
    resize.strategy.memory = job.strategy.memory;
    resize.given_back = job.given_back;
    resize.table = plan::to_table(shrink, job.layout, job.allocation);
    resize.shape = plan::shape_of(job.layout, resize.after, {}, {});
    resize.cost = plan::cost_of(job.costs, resize.strategy, resize.shape);
    return resize;
}

}  // namespace ductile::broker
