#include "process_management/ways.hpp"

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

// The job as it is at `ranks`, begun so.
core::Layout layout_of(int ranks, const core::Allocation& allocation) {
    const auto planned = plan::plan_launch({}, allocation, ranks, core::GroupId{0});
    return core::Layout::of({plan::as_one_world(std::get<plan::LaunchPlan>(planned).added)});
}

bool can(const plan::Strategy& way, int from, int to, const core::Allocation& allocation) {
    if (to < from && way.method == plan::Method::merge) return true;
    const auto now = layout_of(from, allocation);
    const auto next = core::GroupId{static_cast<int>(now.groups().size())};
    const plan::StartRequest request{way.method, way.start, to, next};
    return std::holds_alternative<plan::StartPlan>(plan::plan_start(now, allocation, request));
}

}  // namespace

Shape shape_of(int ranks, int per_host) {
    return ranks <= per_host ? Shape{1, ranks} : Shape{ranks / per_host, per_host};
}

std::string name_of(const plan::Strategy& way) {
    return fmt::format("{} {} {}", plan::to_string(way.method), plan::to_string(way.start),
                       plan::to_string(way.overlap));
}

std::vector<std::string> options_of(const plan::Strategy& way) {
    const auto option = [](const std::string& name, std::string_view value) {
        return "--" + name + "=" + std::string(value);
    };
    return {option("method", plan::to_string(way.method)),
            option("start", plan::to_string(way.start)),
            option("overlap", plan::to_string(way.overlap))};
}

std::vector<plan::Strategy> ways_between(const Pair& pair, int hosts, int per_host) {
    const auto allocation = allocation_of(hosts, per_host);
    std::vector<plan::Strategy> ways;
    for (const auto method : plan::all_methods)
        for (const auto start : plan::all_starts)
            for (const auto overlap : plan::all_overlaps) {
                const plan::Strategy way{method, start, overlap};
                if (can(way, pair.ns, pair.nt, allocation) &&
                    can(way, pair.nt, pair.ns, allocation))
                    ways.push_back(way);
            }
    return ways;
}

}  // namespace ductile::bench
