#include "plan/start_dot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "core/counted.hpp"
#include "plan/text_table.hpp"

namespace ductile::plan {

namespace {

std::string graph(const char* name, const std::string& body) {
    return fmt::format(
        "digraph {} {{\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\"];\n{}}}\n",
        name, body);
}

// The sources are one communicator, so they are one node.
std::string node_of(core::GroupId group, const core::Layout& sources) {
    return sources.holds(group) ? "sources" : fmt::format("g{}", group.value);
}

std::string nodes(const StartPlan& plan, const core::Layout& sources, const std::string& suffix,
                  const std::set<std::string>& striped = {}) {
    const auto node = [&](const std::string& name, int ranks) {
        const char* stripes = striped.count(name) > 0
                                  ? ", style=striped, fillcolor=\"gray80:white:gray80:white\""
                                  : "";
        return fmt::format("  {0}{1} [label=\"{0}\\n{2}\"{3}];\n", name, suffix,
                           core::counted(ranks, "rank"), stripes);
    };
    std::string out = node("sources", sources.size());
    for (const auto& group : plan.added) out += node(node_of(group.id, sources), group.ranks);
    return out;
}

// The groups in which a rank other than the first starts a group, and waits for it. Such a group
// needs a barrier, because only its first rank communicates with the parent.
std::set<std::string> need_barrier(const StartPlan& plan, const core::Layout& sources) {
    std::set<std::string> need;
    for (const auto& spawn : plan.spawns) {
        const core::Process starter{spawn.starter, spawn.rank};
        const bool is_first = sources.holds(spawn.starter) ? sources.at(core::Rank{0}) == starter
                                                           : spawn.rank == core::Rank{0};
        if (!is_first) need.insert(node_of(spawn.starter, sources));
    }
    return need;
}

}  // namespace

std::string dot_of_starts(const StartPlan& plan, const core::Layout& sources) {
    std::string body = nodes(plan, sources, "");
    for (const auto& spawn : plan.spawns)
        body += fmt::format("  {} -> {} [label=\"step {}: g{}.{}\"];\n",
                            node_of(spawn.starter, sources), node_of(spawn.starts, sources),
                            spawn.step, spawn.starter.value, spawn.rank.value);
    return graph("starts", body);
}

std::string dot_of_synchronisation(const StartPlan& plan, const core::Layout& sources) {
    const auto striped = need_barrier(plan, sources);
    std::string body;
    for (const std::string strategy : {"up", "down"}) {
        body += fmt::format("  subgraph cluster_{0} {{\n  label=\"{0}\";\n", strategy);
        body += nodes(plan, sources, "_" + strategy, striped);
        for (const auto& spawn : plan.spawns) {
            auto from = node_of(spawn.starts, sources), to = node_of(spawn.starter, sources);
            if (strategy == "down") std::swap(from, to);
            body += fmt::format("  {}_{} -> {}_{};\n", from, strategy, to, strategy);
        }
        body += "  }\n";
    }
    return graph("synchronisation", body);
}

std::string dot_of_connections(const StartPlan& plan) {
    const auto name = [](int position, int round) {
        return fmt::format("set{}_{}", position, round);
    };
    std::string body;
    std::vector<int> sets;
    for (int position = 0; position < plan.rounds.groups; ++position) sets.push_back(position);
    for (int round = 0; round <= plan.rounds.rounds(); ++round) {
        std::vector<int> left;
        for (const int set : sets) {
            const auto groups = set_before(plan.rounds, set, round);
            if (groups.empty()) continue;
            left.push_back(set);
            std::vector<std::string> ids;
            for (const int group : groups)
                ids.push_back(
                    fmt::format("g{}", plan.added.at(static_cast<std::size_t>(group)).id.value));
            body += fmt::format("  {} [label=\"{}\"];\n", name(set, round), fmt::join(ids, " "));
            if (round > 0)
                body += fmt::format("  {} -> {};\n", name(set, round - 1), name(set, round));
        }
        sets = left;
        for (const auto& connection : plan.rounds.connections)
            if (connection.round == round)
                body += fmt::format("  {} -> {} [label=\"connects\"];\n",
                                    name(connection.connector, round),
                                    name(connection.acceptor, round + 1));
    }
    return graph("connections", body);
}

}  // namespace ductile::plan
