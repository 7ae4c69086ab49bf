#include "plan/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "core/contract.hpp"
#include "core/counted.hpp"

namespace ductile::plan {

std::vector<int> to_start(const core::Layout& now, const core::Allocation& allocation) {
    std::vector<int> free;
    free.reserve(allocation.hosts.size());
    for (const auto& host : allocation.hosts) free.push_back(std::max(0, host.slots));
    for (const auto& range : now.active) {
        const auto host = static_cast<std::size_t>(range.host.value);
        if (range.host.value >= 0 && host < free.size())
            free[host] = std::max(0, free[host] - range.ranks);
    }
    return free;
}

void expect_unused(const core::Layout& now, core::GroupId next) {
    for (const auto group : now.groups())
        if (group >= next)
            throw std::invalid_argument(fmt::format(
                "group id {} cannot be the next one (group {} is in use, and ids are never reused)",
                next.value, group.value));
}

std::variant<LaunchPlan, ExpandRefusal> plan_launch(const core::Layout& now,
                                                    const core::Allocation& allocation, int target,
                                                    core::GroupId next) {
    expect_unused(now, next);
    const int size = now.size();
    if (target <= size)
        return ExpandRefusal{
            fmt::format("cannot expand to {} ranks (the job has {}); ask for more than {}", target,
                        size, size)};

    const auto free = to_start(now, allocation);
    const auto total_free = std::accumulate(free.begin(), free.end(), std::int64_t{0});
    const auto usable = std::ranges::count_if(
        allocation.hosts, [](const core::Host& host) { return host.slots > 0; });
    const auto what = size == 0 ? fmt::format("start {}", core::counted(target, "rank"))
                                : fmt::format("expand from {} to {} ranks", size, target);
    if (target - size > total_free)
        return ExpandRefusal{fmt::format(
            "cannot {} (that takes {}, and the {} of the allocation {} {}); "
            "ask for at most {}, or add hosts or slots",
            what, core::counted(target - size, "free slot"), core::counted(usable, "host"),
            usable == 1 ? "has" : "have", total_free, size + total_free)};

    LaunchPlan plan;
    int left = target - size;
    for (std::size_t host = 0; left > 0; ++host) {
        const int ranks = std::min(free[host], left);
        if (ranks == 0) continue;
        plan.added.push_back({next, core::HostIndex{static_cast<int>(host)}, ranks});
        ++next.value;
        left -= ranks;
    }
    return plan;
}

core::Group as_one_world(const std::vector<core::Group>& groups) {
    DUCTILE_EXPECT(!groups.empty() && std::ranges::none_of(groups, &core::Group::spans_hosts));
    auto world = groups.at(0);
    for (std::size_t i = 1; i < groups.size(); ++i) {
        world.ranks += groups[i].ranks;
        world.elsewhere.push_back({groups[i].host, groups[i].ranks});
    }
    return world;
}

}  // namespace ductile::plan
