// Groups: how their ranks are started, and what they are served - PMI's barriers and names, and
// MPI_Comm_spawn.
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "pmi/process_mapping.hpp"
#include "wire/proxy_name.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

namespace {

pmi::KvsName fresh_name() {
    const auto secret = wire::make_secret();
    pmi::RandomBits bits;
    for (std::size_t i = 0; i < 8; ++i) {
        bits.high = bits.high << 8 | static_cast<unsigned char>(secret[i]);
        bits.low = bits.low << 8 | static_cast<unsigned char>(secret[i + 8]);
    }
    return pmi::KvsName(bits);
}

/// The group for whose start MPI_Comm_spawn was called: the first of its hosts names it.
std::optional<core::GroupId> group_named(const wire::SpawnAsked& asked) {
    if (asked.commands.size() != 1) return std::nullopt;
    for (const auto& entry : asked.commands.front().info) {
        if (entry.key != "hosts") continue;
        const auto part = wire::proxy_part(entry.value.substr(0, entry.value.find_first_of(":,")));
        if (part) return part->group;
    }
    return std::nullopt;
}

/// Ranks of a group that start others.
std::vector<core::Rank> starters_in(core::GroupId group, const resize::ResizePlan& plan) {
    std::set<core::Rank> starters;
    for (const auto& spawn : plan.spawns)
        if (spawn.starter == group) starters.insert(spawn.rank);
    return {starters.begin(), starters.end()};
}

}  // namespace

// ---- start ----

void Broker::start_groups(const std::vector<core::Group>& groups, const wire::RankWelcome& base,
                          bool spawned) {
    wire::RankWelcome welcome = base;
    welcome.progress_s = spec_.progress_s;
    welcome.vote_s = spec_.vote_s;
    std::map<HostIndex, std::vector<wire::StartRun>> runs;
    for (const auto& group : groups) {
        groups_.add(group);
        welcome.starters = starters_in(group.id, open_->operation.plan());
        std::variant<wire::ByLauncher, wire::ServedWorld> manager;
        if (spec_.mpi.agents_start_ranks)
            manager = open_world(group, spawned ? pmi::Gate::shut : pmi::Gate::open);
        int first = 0;
        for (const auto& share : group.shares()) {
            const bool leads = first == 0 && !spawned;
            runs[share.host].push_back(
                {group.id,
                 share.ranks,
                 leads && streams_.has_input() && base.role == wire::Role::initial,
                 welcome,
                 first,
                 leads ? world_of(group) : std::vector<wire::WorldHost>{},
                 spawned,
                 manager,
                 {}});
            first += share.ranks;
        }
    }
    auto& agents = hosts_.agents();
    for (const auto& [host, on_host] : runs) {
        if (!agents.is_up(host)) {
            hosts_.start(host, on_host);
            continue;
        }
        for (const auto& run : on_host) agents.send(host, run);
    }
}

// For mpiexec, which has to be told of all hosts.
std::vector<wire::WorldHost> Broker::world_of(const core::Group& group) const {
    std::vector<wire::WorldHost> world;
    if (!group.spans_hosts() || spec_.mpi.agents_start_ranks) return world;
    const bool by_entry = spec_.mpi.spawn_hosts == mpi::SpawnHosts::by_entry;
    int part = 0;
    for (const auto& share : group.shares()) {
        world.push_back({share.host, hosts_.name(share.host), share.ranks});
        if (by_entry)
            world.back().name = part == 0 ? "localhost" : wire::proxy_word({group.id, part});
        ++part;
    }
    return world;
}

// Logical hosts are one machine, and its ranks are to know it.
wire::ServedWorld Broker::open_world(const core::Group& group, pmi::Gate gate) {
    const auto name = fresh_name();
    worlds_.add(group, name, gate);
    std::vector<pmi::RanksOnNode> nodes;
    for (const auto& share : group.shares())
        nodes.push_back({hosts_.logical() ? 0 : share.host.value, share.ranks});
    const int slots = hosts_.table().allocation().total_slots();
    return {name.text(), group.ranks, std::max(slots, group.ranks),
            pmi::process_mapping(nodes).value_or("")};
}

std::string Broker::hosts_for_spawn(core::GroupId id) const {
    const auto found = groups_.all().find(id);
    if (found == groups_.all().end()) return "";
    const bool by_entry = spec_.mpi.spawn_hosts == mpi::SpawnHosts::by_entry;
    std::string hosts;
    int number = 0;
    for (const auto& share : found->second.group.shares()) {
        const wire::ProxyPart part{id, number++};
        hosts += fmt::format("{}{}{}", hosts.empty() ? "" : ",",
                             by_entry ? wire::proxy_word(part) : wire::proxy_name(part),
                             spec_.mpi.spawn_counts_by_host ? fmt::format(":{}", share.ranks) : "");
    }
    return hosts;
}

// ---- life ----

void Broker::send_to_hosts_of(core::GroupId group, const wire::ToAgent& message) {
    const auto* state = groups_.find(group);
    if (state == nullptr) return;
    for (const auto& share : state->group.shares())
        if (state->is_on(share.host)) hosts_.agents().send(share.host, message);
}

void Broker::forget_group(core::GroupId group) {
    groups_.erase(group);
    worlds_.remove(group);
    answer_children(group, false);
    tell(resize::GroupGone{group});
    changed();
}

// Of a group that is no newcomer of a resize.
bool Broker::needs_host(const GroupState& state, HostIndex host) const {
    if (state.role == GroupRole::newcomer || state.role == GroupRole::child) return true;
    const auto is_there = [&](const core::RankRange& range) {
        return range.group == state.group.id && range.host == host;
    };
    return state.role == GroupRole::member &&
           (std::ranges::any_of(ledger_.layout.active, is_there) ||
            std::ranges::any_of(ledger_.layout.parked, is_there));
}

// ---- PMI ----

void Broker::carry_out(const PmiOutbox& effects) {
    for (const auto& effect : effects)
        std::visit(
            wire::Overloaded{
                [&](const PmiOrder& order) { hosts_.agents().send(order.host, order.message); },
                [&](const GateReady& ready) {
                    PmiOutbox next;
                    worlds_.release_gate(ready.group, next);
                    carry_out(next);
                    answer_children(ready.group, true);
                    tell(resize::GateReached{ready.group});
                },
                [&](const GateFailed& failed) {
                    give_up_children(failed.group);
                    answer_children(failed.group, false);
                    tell(resize::GateLost{failed.group});
                },
            },
            effect);
}

void Broker::on_spawn_asked(HostIndex host, const wire::SpawnAsked& asked) {
    if (groups_.find(asked.group) == nullptr) return;
    const core::Process caller{asked.group, asked.rank};
    const auto starts = group_named(asked);
    if (!starts) {
        const auto why = start_children(host, asked);
        if (!why) return;
        hosts_.agents().send(host, wire::SpawnAnswer{asked.group, asked.rank, false});
        return streams_.notify_user(
            fmt::format("MPI_Comm_spawn by rank {} fails: {}", core::to_string(caller), *why));
    }
    if (!open_)
        return hosts_.agents().send(host, wire::SpawnAnswer{asked.group, asked.rank, false});
    resize::Keys keys;
    for (const auto& one : asked.keys) keys.emplace_back(one.key, one.value);
    tell(resize::SpawnAsked{host, caller, *starts, asked.commands.front().ranks,
                            port_of_spawn(asked), std::move(keys)});
}

// ---- processes that the program starts itself ----

std::optional<std::string> Broker::start_children(HostIndex host, const wire::SpawnAsked& asked) {
    const int limit = spec_.mpi.max_worlds_in_life;
    if (limit != 0 && ledger_.worlds_met + 1 >= limit)
        return fmt::format(
            "the job has used {} of the {} worlds that a process can meet in its life",
            ledger_.worlds_met, limit);
    std::vector<plan::ChildHost> hosts;
    for (const auto on : ledger_.layout.hosts()) {
        if (!hosts_.agents().is_up(on)) continue;
        int free = hosts_.at(on).slots;
        for (const auto& [id, state] : groups_.all())
            if (state.is_on(on)) free -= state.living_on(on);
        hosts.push_back({on, hosts_.name(on), std::max(0, free)});
    }
    const auto placed = place_spawn(asked, hosts, host);
    if (const auto* why = std::get_if<std::string>(&placed)) return *why;
    const auto& shares = std::get<std::vector<core::Share>>(placed);
    int ranks = 0;
    for (const auto& share : shares) ranks += share.ranks;
    const core::Group group{core::GroupId{ledger_.next_group},
                            shares.front().host,
                            ranks,
                            {shares.begin() + 1, shares.end()}};
    ledger_.use_groups(1);
    groups_.add(group);
    auto& state = *groups_.find(group.id);
    state.role = GroupRole::child;
    state.parent = {asked.group, asked.rank};
    children_.add(group.id, {host, {asked.group, asked.rank}});
    journal_fact("the program starts processes itself");
    const auto world = open_world(group, pmi::Gate::shut);
    wire::RankWelcome welcome;
    welcome.job = spec_.id;
    int first = 0;
    for (const auto& share : shares) {
        hosts_.agents().send(share.host,
                             wire::StartRun{group.id,
                                            share.ranks,
                                            false,
                                            welcome,
                                            first,
                                            {},
                                            true,
                                            world,
                                            programs_of_spawn(asked, first, share.ranks)});
        hosts_.agents().send(share.host, wire::StartRanks{group.id, asked.keys});
        first += share.ranks;
    }
    return std::nullopt;
}

// Its parent hears of it by the error that MPI_Comm_spawn returns.
void Broker::give_up_children(core::GroupId group) {
    auto* state = groups_.find(group);
    if (state == nullptr || state->role != GroupRole::child) return;
    state->role = GroupRole::undone;
    send_to_hosts_of(group, wire::KillRun{group});
}

void Broker::answer_children(core::GroupId group, bool ok) {
    if (const auto caller = children_.take(group))
        hosts_.agents().send(caller->host,
                             wire::SpawnAnswer{caller->process.group, caller->process.rank, ok});
}

// ---- mpiexec's proxies ----

// mpiexec on a group's first host wants its proxy on another one: that host's agent starts it, once
// it is there.
void Broker::on_proxy_wanted(HostIndex host, const wire::ProxyWanted& wanted) {
    auto* state = groups_.find(wanted.starts);
    if (is<Ending>()) return;
    if (state == nullptr || state->role == GroupRole::undone) return report_proxy_exit(wanted, 1);
    const auto shares = state->group.shares();
    const auto* carrier = groups_.find(wanted.group);
    if (carrier == nullptr || carrier->group.host != host || state->carrier != wanted.group ||
        wanted.part >= static_cast<int>(shares.size()) ||
        (wanted.part == 0 && wanted.starts == wanted.group))
        throw InputError(
            fmt::format("the launcher run of group g{} has no proxy to start for part "
                        "{} of group g{}",
                        wanted.group.value, wanted.part, wanted.starts.value));
    const auto there = shares[static_cast<std::size_t>(wanted.part)].host;
    const wire::StartProxy order{wanted.starts, wanted.argv};
    if (hosts_.agents().is_up(there)) return hosts_.agents().send(there, order);
    state->proxies.insert_or_assign(there, order);
}

void Broker::report_proxy_exit(const wire::ProxyWanted& proxy, int code) {
    if (const auto* carrier = groups_.find(proxy.group))
        hosts_.agents().send(carrier->group.host,
                             wire::ProxyEnded{proxy.group, proxy.starts, proxy.part, code});
}

void Broker::report_proxy_exit(const GroupState& state, HostIndex host, int code) {
    const auto shares = state.group.shares();
    const auto at = std::ranges::find(shares, host, &core::Share::host);
    report_proxy_exit({state.carrier, state.group.id, static_cast<int>(at - shares.begin()), {}},
                      code);
}

}  // namespace ductile::broker
