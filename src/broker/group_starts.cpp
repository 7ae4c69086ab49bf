#include "broker/group_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "broker/local_ranks.hpp"
#include "pmi/process_mapping.hpp"
#include "wire/proxy_name.hpp"

namespace ductile::broker {

std::vector<wire::WorldHost> launcher_hosts(const core::Group& group, const mpi::Capabilities& mpi,
                                            const core::Allocation& hosts) {
    std::vector<wire::WorldHost> world;
    if (!group.spans_hosts() || mpi.agents_start_ranks) return world;
    const bool by_entry = mpi.spawn_hosts == mpi::SpawnHosts::by_entry;
    int part = 0;
    for (const auto& share : group.shares()) {
        world.push_back({share.host, hosts.at(share.host).name, share.ranks});
        if (by_entry)
            world.back().name = part == 0 ? "localhost" : wire::proxy_word({group.id, part});
        ++part;
    }
    return world;
}

std::string spawn_hosts(const core::Group& group, const mpi::Capabilities& mpi) {
    const bool by_entry = mpi.spawn_hosts == mpi::SpawnHosts::by_entry;
    std::string hosts;
    int number = 0;
    for (const auto& share : group.shares()) {
        if (mpi.agents_start_ranks && number > 0) break;  // the first one names the group
        const wire::ProxyPart part{group.id, number++};
        hosts += fmt::format("{}{}{}", hosts.empty() ? "" : ",",
                             by_entry ? wire::proxy_word(part) : wire::proxy_name(part),
                             mpi.spawn_counts_by_host ? fmt::format(":{}", share.ranks) : "");
    }
    return hosts;
}

wire::RankWelcome newcomers_welcome(const resize::ResizePlan& plan, const wire::RankWelcome& job) {
    auto welcome = job;
    welcome.role = plan.starts_job() ? wire::Role::initial : wire::Role::newcomer;
    welcome.added = wire::to_fields(plan.added);
    if (plan.starts_job()) return welcome;
    welcome.transaction = plan.id;
    welcome.secret = plan.secret;
    welcome.base_ranks = plan.before.size();
    welcome.after = wire::LayoutFields(plan.after);
    welcome.bridge = plan::bridge_by(plan.strategy.start);
    welcome.readiness = plan.readiness;
    return welcome;
}

std::vector<core::Rank> starters_in(core::GroupId group, const resize::ResizePlan& plan) {
    std::set<core::Rank> starters;
    for (const auto& spawn : plan.spawns)
        if (spawn.starter == group) starters.insert(spawn.rank);
    return {starters.begin(), starters.end()};
}

wire::ServedWorld served_world(const core::Group& group, const pmi::KvsName& name,
                               const HostsNow& hosts) {
    // The hosts can have more slots than the number of ranks that a message allows.
    const int slots =
        std::min(hosts.allocation.total_slots(), static_cast<int>(wire::limits::ranks));
    const auto mapping = world_mapping(group, hosts);
    return {name.text(), group.ranks, std::max(slots, group.ranks), mapping.value_or(""), !mapping};
}

std::optional<std::string> world_mapping(const core::Group& group, const HostsNow& hosts) {
    std::vector<pmi::RanksOnNode> nodes;
    for (const auto& share : group.shares()) {
        auto machine = group.host;
        if (group.spans_hosts() && !hosts.one_machine) {
            const auto known = hosts.machines.find(share.host);
            if (known == hosts.machines.end()) return std::nullopt;
            machine = known->second;
        }
        nodes.push_back({machine.value, share.ranks});
    }
    return pmi::process_mapping(nodes).value_or("");
}

int slots_of_machine(core::HostIndex host, const HostsNow& hosts) {
    const auto machine_of = [&hosts](core::HostIndex one) {
        const auto known = hosts.machines.find(one);
        return known == hosts.machines.end() ? one : known->second;
    };
    std::int64_t slots = 0;
    for (std::size_t i = 0; i < hosts.allocation.hosts.size(); ++i) {
        const auto& one = hosts.allocation.hosts[i];
        const core::HostIndex index{static_cast<int>(i)};
        if (hosts.one_machine || machine_of(index) == machine_of(host))
            slots += std::max(one.slots, one.max_slots);
    }
    return static_cast<int>(std::min(slots, wire::limits::ranks));
}

void add_runs(const GroupState& state, const GroupStart& start, const HostsNow& hosts,
              RunsByHost& out) {
    const auto& group = state.group;
    int first = 0;
    for (const auto& share : group.shares()) {
        const bool leads = first == 0 && !start.spawned;
        out[share.host].push_back({group.id,
                                   share.ranks,
                                   leads && start.input,
                                   start.welcome,
                                   first,
                                   leads ? start.world : std::vector<wire::WorldHost>{},
                                   start.spawned,
                                   start.manager,
                                   {},
                                   slots_of_machine(share.host, hosts),
                                   local_ranks_on(share.host, state)});
        first += share.ranks;
    }
}

}  // namespace ductile::broker
