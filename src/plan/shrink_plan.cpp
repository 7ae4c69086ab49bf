#include "plan/shrink_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/counted.hpp"
#include "plan/spread.hpp"

namespace ductile::plan {

namespace {

ShrinkPlan plan_without(const core::Layout& now, const std::set<core::Rank>& going,
                        ShrinkKind kind) {
    return {kind == ShrinkKind::park ? now.without({}, going) : now.without(going)};
}

}  // namespace

std::string_view to_string(ShrinkKind kind) {
    static constexpr std::array names{"ts", "park"};
    return names.at(static_cast<std::size_t>(kind));
}

std::optional<ShrinkKind> shrink_kind_named(std::string_view name) {
    for (const auto kind : all_shrink_kinds)
        if (to_string(kind) == name) return kind;
    return std::nullopt;
}

std::variant<ShrinkPlan, ShrinkRefusal> plan_shrink(const core::Layout& now, int target,
                                                    ShrinkKind kind, RankOrder order) {
    if (target < 1)
        return ShrinkRefusal{
            fmt::format("cannot shrink from {} to {} ranks (a job keeps at least 1 rank); end the "
                        "job instead",
                        now.size(), target)};
    if (target >= now.size())
        return ShrinkRefusal{
            fmt::format("cannot shrink from {} to {} ranks (that is no smaller than the job is)",
                        now.size(), target)};
    std::set<core::Rank> going;
    for (int rank = 0; rank < now.size(); ++rank) going.insert(core::Rank{rank});
    for (int rank = 0; rank < target && order == RankOrder::append; ++rank)
        going.erase(core::Rank{rank});
    if (order == RankOrder::interleave)
        for (const auto rank : spread(target, now.size())) going.erase(rank);
    return plan_without(now, going, kind);
}

std::variant<ShrinkPlan, ShrinkRefusal> plan_release(const core::Layout& now,
                                                     const std::vector<Release>& released,
                                                     const core::Allocation& allocation,
                                                     ShrinkKind kind) {
    if (released.empty())
        return ShrinkRefusal{"cannot release hosts (none was named); name at least one"};
    std::map<core::HostIndex, int> left_to_find;
    for (const auto& one : released) {
        const int there = now.ranks_on(one.host);
        const int wanted = one.ranks.value_or(there);
        if (there == 0 || wanted < 1 || wanted > there)
            return ShrinkRefusal{
                fmt::format("cannot release {} of host {} (the job has {} there)",
                            one.ranks ? core::counted(wanted, "rank") : "the ranks",
                            allocation.at(one.host).name, core::counted(there, "rank"))};
        left_to_find[one.host] = std::max(left_to_find[one.host], wanted);
    }
    std::set<core::Rank> going;
    for (int rank = now.size() - 1; rank >= 0; --rank) {
        const auto wanted = left_to_find.find(now.host_of(core::Rank{rank}));
        if (wanted == left_to_find.end() || wanted->second == 0) continue;
        --wanted->second;
        going.insert(core::Rank{rank});
    }
    if (static_cast<int>(going.size()) == now.size())
        return ShrinkRefusal{
            fmt::format("cannot release {} (all {} ranks of the job are there); keep at least one "
                        "rank, or end the job",
                        core::counted(now.hosts().size(), "host"), now.size())};
    return plan_without(now, going, kind);
}

}  // namespace ductile::plan
