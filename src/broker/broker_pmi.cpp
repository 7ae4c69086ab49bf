// What the broker does for ranks that the agents have started: PMI's barriers and names, and
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

}  // namespace

// Logical hosts are one machine, and its ranks are to know it.
wire::ServedWorld Broker::open_world(const core::Group& group, pmi::Gate gate) {
    const auto name = fresh_name();
    worlds_.add(group, name, gate);
    std::vector<pmi::RanksOnNode> nodes;
    for (const auto& share : group.shares())
        nodes.push_back({rms_->logical() ? 0 : share.host.value, share.ranks});
    const int slots = rms_->allocation().total_slots();
    return {name.text(), group.ranks, std::max(slots, group.ranks),
            pmi::process_mapping(nodes).value_or("")};
}

void Broker::forget_group(core::GroupId group) {
    groups_.erase(group);
    worlds_.remove(group);
    answer_spawn(group, false);
}

void Broker::on_spawn_asked(HostIndex host, const wire::SpawnAsked& asked) {
    if (groups_.find(asked.group) == nullptr) return;
    const auto starts = group_named(asked);
    if (!starts) {
        const auto why = start_children(host, asked);
        if (!why) return;
        agents_.send(host, wire::SpawnAnswer{asked.group, asked.rank, false});
        return say(fmt::format("MPI_Comm_spawn by rank g{}.{} fails: {}", asked.group.value,
                               asked.rank.value, *why));
    }
    const bool due = is_newcomer(*starts) && transaction_->spawning && !transaction_->abandoned &&
                     !spawn_callers_.contains(*starts) &&
                     transaction_->spawning->open().contains({asked.group, asked.rank, *starts}) &&
                     asked.commands.front().ranks == groups_.find(*starts)->group.ranks;
    if (!due) {
        agents_.send(host, wire::SpawnAnswer{asked.group, asked.rank, false});
        return;
    }
    const auto port = std::ranges::find(asked.keys, "PARENT_ROOT_PORT_NAME", &wire::KeyFields::key);
    spawn_callers_[*starts] = {host, asked.group, asked.rank,
                               port == asked.keys.end() ? "" : port->value};
    send_to_hosts_of(*starts, wire::StartRanks{*starts, asked.keys});
}

void Broker::answer_spawn(core::GroupId started, bool ok) {
    const auto it = spawn_callers_.find(started);
    if (it == spawn_callers_.end()) return;
    auto& caller = it->second;
    if (caller.state != SpawnCaller::State::asking) return ok ? void() : help_spawn(started);
    agents_.send(caller.host, wire::SpawnAnswer{caller.group, caller.rank, ok});
    const auto* state = groups_.find(started);
    // Of a resize's groups it is said when MPI_Comm_spawn has returned.
    if (ok && state != nullptr && state->role != GroupRole::child)
        caller.state = SpawnCaller::State::accepting;
    else
        spawn_callers_.erase(it);
}

// New ranks are lost in the milliseconds in which their parent accepts them, with MPI's lock: a
// stand-in connects in their place.
void Broker::help_spawn(core::GroupId started) {
    const auto it = spawn_callers_.find(started);
    if (it == spawn_callers_.end() || it->second.state != SpawnCaller::State::accepting) return;
    it->second.state = SpawnCaller::State::helped;
    send_to_hosts_of(started, wire::KillRun{started});
    if (transaction_)
        agents_.send(it->second.host,
                     wire::RunStandIn{transaction_->id, it->second.port, transaction_->secret});
}

bool Broker::help_spawns() {
    bool any = false;
    for (const auto& [started, caller] : std::map(spawn_callers_)) {
        any = any || caller.state == SpawnCaller::State::accepting;
        help_spawn(started);
    }
    return any;
}

// So that MPI_Comm_spawn returns.
void Broker::fail_spawns() {
    for (const auto& [started, caller] : std::map(spawn_callers_))
        if (caller.state == SpawnCaller::State::asking) answer_spawn(started, false);
}

// The children first: the one that has spawned them goes on in MPI's accept, with MPI's lock.
void Broker::carry_out(PmiOutbox effects) {
    for (auto& effect : effects)
        std::visit(wire::Overloaded{
                       [&](const PmiOrder& order) { agents_.send(order.host, order.message); },
                       [&](const GateReady& ready) {
                           PmiOutbox next;
                           worlds_.release_gate(ready.group, next);
                           carry_out(std::move(next));
                           answer_spawn(ready.group, true);
                       },
                       [&](const GateFailed& failed) {
                           give_up_children(failed.group);
                           answer_spawn(failed.group, false);
                       },
                   },
                   effect);
}

}  // namespace ductile::broker
