#include "broker/child_spawns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "broker/group_starts.hpp"
#include "broker/local_ranks.hpp"
#include "wire/proxy_name.hpp"

namespace ductile::broker {

namespace {

std::vector<wire::ChildFields> to_wire(const std::vector<plan::ChildProgram>& programs) {
    std::vector<wire::ChildFields> fields;
    for (const auto& one : programs)
        fields.push_back({one.ranks, one.appnum, one.program, one.directory, one.path});
    return fields;
}

/// The ranks of the group on this host, and their programs.
wire::StartRun run_on(core::HostIndex host, const GroupState& state, const plan::SpawnWish& wish) {
    wire::StartRun run;
    run.group = state.group.id;
    int shares = 0;
    for (const auto& range : state.group.ranges()) {
        if (range.host != host) continue;
        if (++shares == 1) run.first_rank = range.first.value;
        run.ranks += range.ranks;
        for (int i = 0; i < range.ranks; ++i) run.numbers.emplace_back(range.first.value + i);
        const auto programs =
            to_wire(plan::programs_of_spawn(wish, range.first.value, range.ranks));
        run.children.insert(run.children.end(), programs.begin(), programs.end());
    }
    if (shares == 1) run.numbers.clear();
    run.local_ranks = local_ranks_on(host, state);
    return run;
}

}  // namespace

plan::SpawnWish wish_of(const wire::SpawnAsked& asked) {
    plan::SpawnWish wish;
    for (const auto& command : asked.commands) {
        auto& mine = wish.commands.emplace_back();
        mine.ranks = command.ranks;
        mine.program = command.program;
        for (const auto& entry : command.info) mine.info.push_back({entry.key, entry.value});
    }
    return wish;
}

std::optional<core::GroupId> group_named(const wire::SpawnAsked& asked) {
    if (asked.commands.size() != 1) return std::nullopt;
    for (const auto& entry : asked.commands.front().info) {
        if (entry.key != "hosts") continue;
        const auto part = wire::proxy_part(entry.value.substr(0, entry.value.find_first_of(":,")));
        if (part) return part->group;
    }
    return std::nullopt;
}

std::string port_of_spawn(const wire::SpawnAsked& asked) {
    const auto port = std::ranges::find(asked.keys, "PARENT_ROOT_PORT_NAME", &wire::KeyFields::key);
    return port == asked.keys.end() ? "" : port->value;
}

void add_child_orders(const GroupState& state, const plan::SpawnWish& wish,
                      const std::vector<wire::KeyFields>& keys, const wire::RankWelcome& welcome,
                      const wire::ServedWorld& world, const HostsNow& hosts, GroupEffects& out) {
    for (const auto host : state.group.hosts()) {
        auto run = run_on(host, state, wish);
        run.welcome = welcome;
        run.spawned = true;
        run.manager = world;
        run.machine_slots = slots_of_machine(host, hosts);
        if (!hosts.up.contains(host)) {
            out.emplace_back(StartAgent{host, std::move(run)});
            continue;
        }
        out.emplace_back(HostOrder{host, std::move(run)});
        out.emplace_back(HostOrder{host, wire::StartRanks{state.group.id, keys}});
    }
}

}  // namespace ductile::broker
