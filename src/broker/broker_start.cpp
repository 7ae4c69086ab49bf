// How a resize's new groups come to be: started by the agents, or by ranks that call
// MPI_Comm_spawn (design, section 4, "Starts inside MPI").
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "wire/proxy_name.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto ready_within = 60s;

wire::SpawnBridge bridge_by(plan::Start start) {
    switch (start) {
        case plan::Start::collective:
            return wire::SpawnBridge::by_all;
        case plan::Start::single:
            return wire::SpawnBridge::by_root;
        default:
            return wire::SpawnBridge::no;
    }
}

}  // namespace

void Broker::start_newcomers() {
    auto& t = *transaction_;
    next_group_ += static_cast<int>(t.added.size());
    worlds_met_ += static_cast<int>(t.added.size());
    t.phase = Phase::starting;
    t.secret = wire::to_hex(wire::make_secret());
    const auto readiness = readiness_by(t.way.start);
    t.forming.emplace(t.added, readiness);
    t.set_deadline(ready_within, "the new groups did not start");
    if (const auto why = journal_step("new groups are started")) return give_up(*why);
    wire::RankWelcome welcome;
    welcome.job = spec_.id;
    welcome.role = wire::Role::newcomer;
    welcome.transaction = t.id;
    welcome.secret = t.secret;
    welcome.base_ranks = layout_.size();
    welcome.added = wire::to_fields(t.added);
    welcome.bridge = bridge_by(t.way.start);
    welcome.readiness = readiness;
    start_groups(t.added, welcome, t.spawning.has_value());
    if (t.spawning) begin_spawning();
    t.mark("launched");
    if (!t.is_blocking()) send_to_members(wire::Underway{t.id, true});
    if (welcome.bridge == wire::SpawnBridge::no)
        send_to(leader(), wire::OpenBridge{t.id, t.secret});
}

// A group belongs to the launcher run of those who start it, however many steps away that began.
void Broker::begin_spawning() {
    auto& t = *transaction_;
    for (const auto& spawn : t.spawning->spawns()) {
        if (!spec_.mpi.agents_start_ranks)
            groups_.find(spawn.starts)->carrier = groups_.find(spawn.starter)->carrier;
        if (t.forming->knows(spawn.starter)) t.forming->hold(spawn.starter);
    }
}

void Broker::on_expecting(HostIndex host, core::GroupId group) {
    if (!is_newcomer(group) || !transaction_->spawning) return;
    auto& t = *transaction_;
    t.spawning->expecting(host, group);
    if (t.spawning->all_expecting() && !t.abandoned) order_spawns();
}

// All at once: what a process is told before it runs, its agent keeps for it.
void Broker::order_spawns() {
    auto& t = *transaction_;
    t.mark("looked");
    if (const auto why = journal_step("ranks are to start the new groups")) return give_up(*why);
    t.spawning->begin();
    for (const auto& call : t.spawning->calls()) {
        if (bridge_by(t.way.start) != wire::SpawnBridge::no)
            t.merging.insert({call.caller, call.rank});
        const auto& group = groups_.find(call.starts)->group;
        send_to({call.caller, call.rank},
                wire::SpawnGroup{t.id, call.starts, group.ranks, hosts_for_spawn(group), by_entry(),
                                 bridge_by(t.way.start), t.secret});
    }
    if (readiness_by(t.way.start) == wire::Readiness::tree) order_sharing();
}

// Each starter hears it after its last order.
void Broker::order_sharing() {
    const auto& t = *transaction_;
    std::set<core::Process> starters;
    for (const auto& call : t.spawning->calls()) starters.insert({call.caller, call.rank});
    wire::SharePorts order{t.id, {}};
    for (const auto& process : starters)
        if (const auto rank = t.before.rank_of(process)) order.peers.push_back(*rank);
    std::ranges::sort(order.peers);
    for (const auto& process : starters) send_to(process, order);
}

std::vector<core::Rank> Broker::starters_in(core::GroupId group) const {
    std::set<core::Rank> starters;
    if (transaction_ && transaction_->spawning)
        for (const auto& spawn : transaction_->spawning->spawns())
            if (spawn.starter == group) starters.insert(spawn.rank);
    return {starters.begin(), starters.end()};
}

wire::Readiness Broker::readiness_by(plan::Start start) const {
    const bool is_tree = start == plan::Start::hypercube || start == plan::Start::diffusive;
    return is_tree ? spec_.readiness : wire::Readiness::broker;
}

bool Broker::by_entry() const {
    return spec_.mpi.spawn_hosts == mpi::SpawnHosts::by_entry;
}

std::string Broker::hosts_for_spawn(const core::Group& group) const {
    std::string hosts;
    int number = 0;
    for (const auto& share : group.shares()) {
        const wire::ProxyPart part{group.id, number++};
        hosts += fmt::format("{}{}{}", hosts.empty() ? "" : ",",
                             by_entry() ? wire::proxy_word(part) : wire::proxy_name(part),
                             spec_.mpi.spawn_counts_by_host ? fmt::format(":{}", share.ranks) : "");
    }
    return hosts;
}

void Broker::on_spawned(core::GroupId group, core::Rank rank, const wire::Spawned& spawned) {
    auto& t = *transaction_;
    if (!t.spawning) return;
    t.spawning->ended({group, rank, spawned.group});
    spawn_callers_.erase(spawned.group);
    t.spawn_s = std::max(t.spawn_s, spawned.spawn_s);
    if (t.forming->knows(group)) advance_forming(t.forming->release(group));
    if (!spawned.ok) t.merging.erase({group, rank});
    if (!spawned.ok)  // so nobody is there who could start others
        if (const auto* state = groups_.find(spawned.group))
            for (int i = 0; i < state->group.ranks; ++i)
                t.spawning->gone(spawned.group, core::Rank{i});
    if (!spawned.ok && !t.undoing && !t.abandoned)
        return give_up(fmt::format("rank g{}.{} could not start group g{}: {}", group.value,
                                   rank.value, spawned.group.value, spawned.why));
    if (t.ending_due && t.is_spawning()) return await_spawns();
    go_on_if_spawned();
}

void Broker::close_spawns_of(core::GroupId group, core::Rank rank) {
    if (!transaction_ || !transaction_->spawning) return;
    const bool merged = transaction_->merging.erase({group, rank}) > 0;
    if (transaction_->spawning->gone(group, rank) || merged) go_on_if_spawned();
}

void Broker::go_on_if_spawned() {
    auto& t = *transaction_;
    if (!t.spawning->is_done()) return;
    t.mark("spawned");
    if (t.ending_due && !t.awaits_newcomers()) end_newcomers();
    if (t.undoing) return finish_undoing();
    bridge_if_ready();
}

std::string Broker::what_is_spawned() const {
    const auto& call = *transaction_->spawning->open().begin();
    std::string hosts;
    for (const auto& group : transaction_->added)
        if (group.id == call.starts)
            for (const auto& share : group.shares())
                hosts += (hosts.empty() ? "" : ", ") + host_name(share.host);
    return fmt::format("rank g{}.{} is inside of MPI_Comm_spawn for group g{} on {}",
                       call.caller.value, call.rank.value, call.starts.value, hosts);
}

}  // namespace ductile::broker
