#include "process_management/strategies.hpp"

#include <fmt/format.h>

#include "plan/launch_plan.hpp"
#include "plan/start_plan.hpp"

namespace ductile::bench {

namespace {

core::Allocation allocation_of(int hosts, int per_host) {
    core::Allocation allocation;
    for (int i = 0; i < hosts; ++i) allocation.hosts.push_back({fmt::format("h{}", i), per_host});
    return allocation;
}

// The layout of a job that has started with `ranks` ranks.
core::Layout layout_of(int ranks, const core::Allocation& allocation) {
    const auto planned = plan::plan_launch({}, allocation, ranks, core::GroupId{0});
    return core::Layout::of({plan::as_one_world(std::get<plan::LaunchPlan>(planned).added)});
}

bool can(const plan::Strategy& strategy, int from, int to, const core::Allocation& allocation) {
    if (to < from && strategy.method == plan::Method::merge) return true;
    const auto now = layout_of(from, allocation);
    const auto next = core::GroupId{static_cast<int>(now.groups().size())};
    const plan::StartRequest request{strategy.method, strategy.start, to, next};
    return std::holds_alternative<plan::StartPlan>(plan::plan_start(now, allocation, request));
}

}  // namespace

Shape shape_of(int ranks, int per_host) {
    return ranks <= per_host ? Shape{1, ranks} : Shape{ranks / per_host, per_host};
}

std::string name_of(const plan::Strategy& strategy) {
    return fmt::format("{} {} {}", plan::to_string(strategy.method),
                       plan::to_string(strategy.start), plan::to_string(strategy.overlap));
}

std::vector<std::string> options_of(const plan::Strategy& strategy) {
    const auto option = [](const std::string& name, std::string_view value) {
        return "--" + name + "=" + std::string(value);
    };
    return {option("method", plan::to_string(strategy.method)),
            option("start", plan::to_string(strategy.start)),
            option("overlap", plan::to_string(strategy.overlap))};
}

std::vector<plan::Strategy> strategies_between(const Pair& pair, int hosts, int per_host) {
    const auto allocation = allocation_of(hosts, per_host);
    std::vector<plan::Strategy> strategies;
    for (const auto method : plan::all_methods)
        for (const auto start : plan::all_starts)
            for (const auto overlap : plan::all_overlaps) {
                const plan::Strategy strategy{method, start, overlap};
                if (can(strategy, pair.ns, pair.nt, allocation) &&
                    can(strategy, pair.nt, pair.ns, allocation))
                    strategies.push_back(strategy);
            }
    return strategies;
}

}  // namespace ductile::bench
