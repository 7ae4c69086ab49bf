#include "plan/spawn_schedule.hpp"

#include <algorithm>
#include <stdexcept>

namespace ductile::plan {

namespace {

void append(std::vector<core::Process>& processes, const std::vector<core::RankRange>& ranges) {
    for (const auto& range : ranges)
        for (int i = 0; i < range.ranks; ++i)
            processes.push_back({range.group, core::Rank{range.first.value + i}});
}

void expect_starters(const core::Layout& sources, const std::vector<core::Group>& added) {
    if (sources.size() < 1 && !added.empty())
        throw std::invalid_argument("no process exists that could start a group");
    for (const auto& group : added)
        if (group.ranks < 1) throw std::invalid_argument("a group without a rank");
}

}  // namespace

std::vector<Spawn> spawn_schedule(const core::Layout& sources,
                                  const std::vector<core::Group>& added) {
    expect_starters(sources, added);
    std::vector<core::Process> processes;
    append(processes, sources.active);
    std::vector<Spawn> spawns;
    for (int step = 1; spawns.size() < added.size(); ++step) {
        const auto first = spawns.size();
        const auto last = std::min(added.size(), first + processes.size());
        for (auto i = first; i < last; ++i) {
            const auto& starter = processes[i - first];
            spawns.push_back({step, starter.group, starter.rank, added[i].id});
        }
        for (auto i = first; i < last; ++i) append(processes, added[i].ranges());
    }
    return spawns;
}

std::vector<SpawnStep> spawn_steps(const core::Layout& sources,
                                   const std::vector<core::Group>& added, Method method) {
    expect_starters(sources, added);
    const bool stay = method == Method::merge;
    SpawnStep row;
    row.t = sources.size();
    row.T = stay ? static_cast<int>(sources.hosts().size()) : 0;
    std::vector<SpawnStep> rows{row};
    const auto groups = static_cast<std::int64_t>(added.size());
    while (row.lambda < groups) {
        const auto first = row.lambda;
        row.lambda += row.t;
        row.g = 0;
        row.G = 0;
        for (auto i = first; i < std::min(groups, row.lambda); ++i) {
            const auto& group = added[static_cast<std::size_t>(i)];
            *row.g += group.ranks;
            if (!stay || sources.ranks_on(group.host) == 0) ++*row.G;
        }
        ++row.s;
        row.t += *row.g;
        row.T += *row.G;
        rows.push_back(row);
    }
    return rows;
}

}  // namespace ductile::plan
