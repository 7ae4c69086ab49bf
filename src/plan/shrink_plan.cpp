#include "plan/shrink_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "plan/group_sums.hpp"

namespace ductile::plan {

namespace {

ShrinkPlan plan_without(const core::Layout& now, std::vector<core::GroupId> leaving) {
    ShrinkPlan plan;
    plan.after = now.without(leaving);
    plan.leaving = std::move(leaving);
    return plan;
}

ShrinkRefusal refuse_size(const core::Layout& now, int target, const GroupSums& sums,
                          std::string why) {
    auto nearest = sums.nearest(target);
    const auto cure = nearest.empty() ? std::string("end the job instead")
                                      : fmt::format("ask for {}", fmt::join(nearest, " or "));
    return {
        fmt::format("cannot shrink from {} to {} ranks ({}); {}", now.size(), target, why, cure),
        std::move(nearest)};
}

// The last ranks go: whole groups as far as they reach, and of the next one some park.
std::optional<ShrinkPlan> plan_parking(const core::Layout& now, int target) {
    std::vector<core::GroupId> leaving;
    int size = now.size();
    auto last = now.groups.rbegin();
    for (; size - last->ranks >= target; ++last) {
        size -= last->ranks;
        leaving.push_back(last->id);
    }
    if (size > target && last->spans_hosts()) return std::nullopt;
    std::reverse(leaving.begin(), leaving.end());
    auto plan = plan_without(now, std::move(leaving));
    plan.parking = size - target;
    plan.after = plan.after.with_parked(plan.parking);
    return plan;
}

}  // namespace

std::string_view to_string(ShrinkKind kind) {
    static constexpr std::array names{"auto", "ts", "zs"};
    return names.at(static_cast<std::size_t>(kind));
}

std::optional<ShrinkKind> shrink_kind_named(std::string_view name) {
    for (const auto kind : {ShrinkKind::automatic, ShrinkKind::ts, ShrinkKind::zs})
        if (to_string(kind) == name) return kind;
    return std::nullopt;
}

std::variant<ShrinkPlan, ShrinkRefusal> plan_shrink(const core::Layout& now, int target,
                                                    ShrinkKind kind) {
    const GroupSums sums(now.groups);
    const int groups = static_cast<int>(now.groups.size());
    if (target < 1) return refuse_size(now, target, sums, "a job keeps at least 1 rank");
    if (target >= now.size())
        return refuse_size(now, target, sums, "that is no smaller than the job is");

    int to_leave = now.size() - target;
    const bool whole = sums.reaches(to_leave, groups);
    if (kind == ShrinkKind::zs || (!whole && kind == ShrinkKind::automatic)) {
        if (auto parked = plan_parking(now, target)) return *parked;
        return refuse_size(now, target, sums,
                           "that would split a group that spans hosts, which cannot park ranks");
    }
    if (!whole)
        return refuse_size(
            now, target, sums,
            fmt::format("no choice among its {} groups leaves that size, and a group "
                        "leaves as a whole",
                        groups));

    // From the youngest back: a group leaves if the older ones can make up the rest.
    std::vector<core::GroupId> leaving;
    for (int k = groups - 1; to_leave > 0; --k) {
        const auto& group = now.groups[static_cast<std::size_t>(k)];
        if (!sums.reaches(to_leave - group.ranks, k)) continue;
        leaving.push_back(group.id);
        to_leave -= group.ranks;
    }
    std::reverse(leaving.begin(), leaving.end());
    return plan_without(now, std::move(leaving));
}

std::variant<ShrinkPlan, ShrinkRefusal> plan_release(const core::Layout& now,
                                                     const std::vector<core::HostIndex>& hosts) {
    if (hosts.empty())
        return ShrinkRefusal{"cannot release hosts (none was named); name at least one", {}};
    for (const auto host : hosts)
        if (now.ranks_on(host) == 0)
            return ShrinkRefusal{
                fmt::format("cannot release host {} (the job has no ranks there); name "
                            "hosts that the job uses",
                            host.value),
                {}};
    std::vector<core::GroupId> leaving;
    for (const auto& group : now.groups)
        if (std::any_of(hosts.begin(), hosts.end(),
                        [&](const auto host) { return group.ranks_on(host) > 0; }))
            leaving.push_back(group.id);
    if (leaving.size() == now.groups.size())
        return ShrinkRefusal{
            fmt::format("cannot release {} hosts (all {} ranks of the job are there); "
                        "keep at least one host, or end the job",
                        now.hosts().size(), now.size()),
            {}};
    return plan_without(now, std::move(leaving));
}

}  // namespace ductile::plan
