#include "plan/plan_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "plan/rank_order.hpp"
#include "plan/text_table.hpp"

namespace ductile::plan {

namespace {

std::string rank_range(int first, int count) {
    return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

std::string host_name(const core::Allocation& allocation, core::HostIndex host) {
    const bool known = host.value >= 0 && host.value < static_cast<int>(allocation.hosts.size());
    return known ? allocation.at(host).name : fmt::format("host {}", host.value);
}

std::string rounds_table(const ConnectRounds& rounds,
                         const std::function<std::string(int)>& name_of) {
    Table table({{"round", Align::right}, {"accepts"}, {"connects"}, {"merged"}});
    for (const auto& [round, acceptor, connector] : rounds.connections) {
        std::vector<std::string> merged;
        for (const int group : set_before(rounds, acceptor, round + 1))
            merged.push_back(name_of(group));
        table.add({fmt::format("{}", round), name_of(acceptor), name_of(connector),
                   fmt::format("{}", fmt::join(merged, " "))});
    }
    return table.text();
}

std::string group_name(core::GroupId id) {
    return fmt::format("g{}", id.value);
}

// The ranks of a group on a host: "3-5", "1, 3, 5 and 13 more".
std::string ranks_of(const core::Layout& layout, core::GroupId group, core::HostIndex host) {
    constexpr std::size_t most_ranges = 4;
    std::vector<std::string> ranges;
    int first = 0, ranks_left_out = 0;
    for (const auto& range : layout.active) {
        if (range.group == group && range.host == host) {
            if (ranges.size() < most_ranges)
                ranges.push_back(rank_range(first, range.ranks));
            else
                ranks_left_out += range.ranks;
        }
        first += range.ranks;
    }
    return fmt::format("{}{}", fmt::join(ranges, ", "),
                       ranks_left_out > 0 ? fmt::format(" and {} more", ranks_left_out) : "");
}

// `running`: the present ranks. `plan.kept`: those that stay beside the added ranks. If some ranks
// leave, old and new ranks run side by side for a while.
std::string hosts_table(const StartPlan& plan, const core::Layout& running,
                        const core::Allocation& allocation) {
    const auto& added = plan.added;
    const auto& kept = plan.kept;
    const auto after = plan.after();
    const bool side_by_side = kept.size() < running.size();
    const auto together = running.with(added);
    std::vector<Table::Column> columns{{"host"},
                                       {"slots", Align::right},
                                       {"running", Align::right},
                                       {"free", Align::right},
                                       {"group"},
                                       {"starts", Align::right},
                                       {"ranks"}};
    if (side_by_side) columns.insert(columns.end() - 1, {"together", Align::right});
    Table table(std::move(columns));
    const auto free = to_start(kept, allocation);
    for (std::size_t at = 0; at < allocation.hosts.size(); ++at) {
        const core::HostIndex host{static_cast<int>(at)};
        const auto starts = std::find_if(added.begin(), added.end(), [host](const core::Group& g) {
            return g.ranks_on(host) > 0;
        });
        std::vector<std::string> row{
            allocation.hosts[at].name, fmt::format("{}", allocation.hosts[at].slots),
            fmt::format("{}", running.ranks_on(host)), fmt::format("{}", free[at])};
        const auto add = [&](const std::string& group, int ranks, const std::string& range) {
            row.insert(row.end(), {group, fmt::format("{}", ranks)});
            if (side_by_side) row.push_back(fmt::format("{}", together.ranks_on(host)));
            row.push_back(range);
        };
        if (starts == added.end()) {
            add("-", 0, "-");
        } else {
            add(group_name(starts->id), starts->ranks_on(host), ranks_of(after, starts->id, host));
        }
        table.add(std::move(row));
    }
    return table.text();
}

// Table 2 of parallel-spawning-strategies.
std::string steps_table(const std::vector<SpawnStep>& steps) {
    Table table({{"step", Align::right},
                 {"t", Align::right},
                 {"g", Align::right},
                 {"lambda", Align::right},
                 {"T", Align::right},
                 {"G", Align::right}});
    const auto or_dash = [](const auto& value) {
        return value ? fmt::format("{}", *value) : std::string("-");
    };
    for (const auto& row : steps)
        table.add({fmt::format("{}", row.s), fmt::format("{}", row.t), or_dash(row.g),
                   fmt::format("{}", row.lambda), fmt::format("{}", row.T), or_dash(row.G)});
    return table.text();
}

std::string spawns_table(const std::vector<Spawn>& spawns) {
    Table table({{"step", Align::right}, {"rank"}, {"starts"}});
    for (const auto& spawn : spawns)
        table.add({fmt::format("{}", spawn.step),
                   fmt::format("{}.{}", group_name(spawn.starter), spawn.rank.value),
                   group_name(spawn.starts)});
    return table.text();
}

std::string groups_rounds_table(const ConnectRounds& rounds,
                                const std::vector<core::Group>& added) {
    if (rounds.connections.empty()) return {};
    return rounds_table(rounds, [&](int position) {
        return group_name(added.at(static_cast<std::size_t>(position)).id);
    });
}

struct Fates {
    int leaving = 0, parking = 0;
};

Fates fates_of(const core::RankRange& range, const core::Change& change) {
    Fates fates;
    for (int i = 0; i < range.ranks; ++i) {
        const core::Process one{range.group, core::Rank{range.first.value + i}};
        fates.leaving += core::holds(change.leaving, one) ? 1 : 0;
        fates.parking += core::holds(change.parking, one) ? 1 : 0;
    }
    return fates;
}

std::optional<core::Rank> first_that_stays(const core::RankRange& range,
                                           const core::Layout& after) {
    for (int i = 0; i < range.ranks; ++i)
        if (auto rank = after.rank_of({range.group, core::Rank{range.first.value + i}}))
            return rank;
    return std::nullopt;
}

}  // namespace

std::string to_table(const StartPlan& plan, const core::Layout& before,
                     const core::Allocation& allocation) {
    std::string out = fmt::format(
        "{} {} -> {} ranks, {} ({}, {})\n", plan.method == Method::merge ? "expand" : "replace",
        before.size(), plan.after().size(), core::counted(plan.added.size(), "new group"),
        to_string(plan.method), to_string(plan.start));
    out += hosts_table(plan, before, allocation);
    if (!plan.steps.empty()) out += steps_table(plan.steps);
    if (!plan.spawns.empty()) out += spawns_table(plan.spawns);
    return out + groups_rounds_table(plan.rounds, plan.added);
}

std::string to_table(const ShrinkPlan& plan, const core::Layout& before,
                     const core::Allocation& allocation) {
    const auto change = core::change_between(before, plan.after);
    Table table({{"host"},
                 {"group"},
                 {"ranks"},
                 {"leave", Align::right},
                 {"park", Align::right},
                 {"ranks after"}});
    int first = 0;
    Fates all;
    for (const auto& range : before.active) {
        const auto counts = fates_of(range, change);
        all.leaving += counts.leaving;
        all.parking += counts.parking;
        const int stay = range.ranks - counts.leaving - counts.parking;
        const auto stays = first_that_stays(range, plan.after);
        table.add({host_name(allocation, range.host), group_name(range.group),
                   rank_range(first, range.ranks), fmt::format("{}", counts.leaving),
                   fmt::format("{}", counts.parking),
                   stay == 0 ? "-" : rank_range(stays->value, stay)});
        first += range.ranks;
    }
    std::vector<std::string> freed;
    for (const auto host : before.hosts())
        if (plan.after.ranks_on(host) == 0) freed.push_back(host_name(allocation, host));
    std::vector<std::string> what;
    for (const auto& [ranks, word] :
         {std::pair{all.leaving, "leave"}, std::pair{all.parking, "park"}})
        if (ranks > 0)
            what.push_back(
                fmt::format("{} {}{}", core::counted(ranks, "rank"), word, ranks == 1 ? "s" : ""));
    return fmt::format("shrink {} -> {} ranks: {}\n", before.size(), plan.after.size(),
                       fmt::join(what, ", ")) +
           table.text() +
           fmt::format("free afterwards: {}\n",
                       freed.empty() ? "none" : fmt::format("{}", fmt::join(freed, " ")));
}

std::string to_table(const ConnectRounds& rounds) {
    return rounds_table(rounds, [](int position) { return fmt::format("{}", position); });
}

}  // namespace ductile::plan
