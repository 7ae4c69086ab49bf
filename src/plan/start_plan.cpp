#include "plan/start_plan.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/counted.hpp"
#include "plan/spread.hpp"

namespace ductile::plan {

namespace {

// The hypercube of the paper parallel-spawning-strategies (section 4.1) has C ranks on each host.
std::optional<ExpandRefusal> not_a_hypercube(const core::Layout& now, const core::Layout& kept,
                                             const core::Allocation& allocation,
                                             const std::vector<core::Group>& added) {
    const int ranks = added.back().ranks;
    const auto refuse = [&](const std::string& who, int has) {
        return ExpandRefusal{
            fmt::format("a hypercube start needs the same number of ranks on each host ({} would "
                        "have {}, {} {}); use diffusive, which does not need that",
                        allocation.at(added.back().host).name, ranks, who, has)};
    };
    for (const auto& group : added)
        if (const int all = group.ranks + kept.ranks_on(group.host); all != ranks)
            return refuse(allocation.at(group.host).name, all);
    for (const auto host : now.hosts())
        if (now.ranks_on(host) != ranks)
            return refuse(allocation.at(host).name + " has", now.ranks_on(host));
    return std::nullopt;
}

}  // namespace

core::Layout StartPlan::after() const {
    if (order == RankOrder::append || kept.empty()) return kept.with(added);
    return kept.with_between(added, spread(kept.size(), kept.size() + core::ranks_of(added)));
}

std::variant<StartPlan, ExpandRefusal> plan_start(const core::Layout& now,
                                                  const core::Allocation& allocation,
                                                  const StartRequest& request) {
    expect_unused(now, request.next);
    StartPlan plan{request.method, request.start, {}, {}, {}, {}, {}, request.order};
    if (request.method == Method::merge) plan.kept = now;
    const int slots = allocation.total_slots();
    if (request.method == Method::baseline && request.target > slots)
        return ExpandRefusal{fmt::format(
            "cannot start {} afresh: the {} of the allocation {} {}{}",
            core::counted(request.target, "rank"), core::counted(allocation.hosts.size(), "host"),
            allocation.hosts.size() == 1 ? "has" : "have", core::counted(slots, "slot"),
            slots > 0 ? fmt::format("; ask for at most {}, or add hosts or slots", slots)
                      : "; add hosts or slots")};
    auto placed = plan_launch(plan.kept, allocation, request.target, request.next);
    if (auto* refusal = std::get_if<ExpandRefusal>(&placed)) return std::move(*refusal);
    plan.added = std::move(std::get<LaunchPlan>(placed).added);
    switch (request.start) {
        case Start::launch:
            plan.added = {as_one_world(plan.added)};
            break;
        case Start::collective:
        case Start::single: {
            plan.added = {as_one_world(plan.added)};
            const auto root = now.at(core::Rank{0});
            plan.spawns = {{1, root.group, root.rank, plan.added.front().id}};
            break;
        }
        case Start::hypercube:
            if (auto refusal = not_a_hypercube(now, plan.kept, allocation, plan.added))
                return *refusal;
            [[fallthrough]];
        case Start::diffusive:
            plan.spawns = spawn_schedule(now, plan.added);
            plan.steps = spawn_steps(now, plan.added, request.method);
    }
    plan.rounds = connect_rounds(static_cast<int>(plan.added.size()));
    return plan;
}

}  // namespace ductile::plan
