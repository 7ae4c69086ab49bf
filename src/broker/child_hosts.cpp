#include "broker/child_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ductile::broker {

std::vector<plan::ChildHost> child_hosts(const GroupTable& groups, const GroupContext& job) {
    std::vector<plan::ChildHost> hosts;
    const auto add = [&](core::HostIndex on) {
        if (std::ranges::find(hosts, on, &plan::ChildHost::host) != hosts.end()) return;
        const auto& host = job.hosts.allocation.at(on);
        const auto given_back = job.ledger.given_back().find(on);
        int free = host.slots;
        if (given_back != job.ledger.given_back().end()) free -= given_back->second;
        int living = 0;
        for (const auto& [id, state] : groups.all())
            if (state.is_on(on)) living += state.living_on(on);
        std::optional<int> room;
        if (host.max_slots > 0) room = std::max(0, host.max_slots - living);
        hosts.push_back({on, host.name, std::max(0, free - living), room,
                         job.hosts.host_name ? job.hosts.host_name(on) : ""});
    };
    for (const auto on : job.ledger.layout().hosts())
        if (job.hosts.up.contains(on)) add(on);
    // Not a host on which nothing runs: its agent is about to end.
    for (const auto on : job.hosts.up)
        if (groups.any_on(on)) add(on);
    for (const auto on : job.hosts.idle)
        if (job.hosts.allocation.at(on).slots > 0) add(on);
    return hosts;
}

core::SlotCounts slots_of_children(const GroupTable& groups) {
    core::SlotCounts slots;
    for (const auto& [id, state] : groups.all()) {
        if (state.role != GroupRole::child) continue;
        for (const auto host : state.group.hosts())
            if (const int living = state.living_on(host); living > 0) slots[host] += living;
    }
    return slots;
}

std::variant<core::Group, std::string> plan_children(core::HostIndex caller,
                                                     const plan::SpawnWish& wish,
                                                     const std::vector<plan::ChildHost>& hosts,
                                                     const JobLedger& ledger, int max_worlds) {
    if (max_worlds != 0 && ledger.mpi_worlds_seen() + 1 >= max_worlds)
        return fmt::format(
            "the job has used {} of the {} worlds that a process can meet in its life",
            ledger.mpi_worlds_seen(), max_worlds - 1);
    const auto placed = plan::place_spawn(wish, hosts, caller);
    if (const auto* why = std::get_if<std::string>(&placed)) return *why;
    const auto& shares = std::get<std::vector<core::Share>>(placed);
    int ranks = 0;
    for (const auto& share : shares) ranks += share.ranks;
    return core::Group{core::GroupId{ledger.next_group()},
                       shares.front().host,
                       ranks,
                       {shares.begin() + 1, shares.end()}};
}

std::optional<std::string> refuse_for_children(const GroupTable& groups, const core::Layout& before,
                                               const core::Layout& after,
                                               const core::Allocation& hosts) {
    const auto change = core::change_between(before, after);
    for (const auto& [id, state] : groups.all()) {
        if (state.role != GroupRole::child) continue;
        if (core::holds(change.leaving, state.parent))
            return fmt::format(
                "rank {} would leave, but processes that it has started by MPI_Comm_spawn (group "
                "g{}) still run: ask again when they have ended",
                core::to_string(state.parent), id.value);
        for (const auto host : before.hosts())
            if (state.is_on(host) && after.ranks_on(host) == 0)
                return fmt::format(
                    "host {} would be given back, but processes that the program has started by "
                    "MPI_Comm_spawn (group g{}) still run there: ask again when they have ended",
                    hosts.at(host).name, id.value);
    }
    return std::nullopt;
}

}  // namespace ductile::broker
