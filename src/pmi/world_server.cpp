#include "pmi/world_server.hpp"

#include <utility>

#include "ductile/error.hpp"

namespace ductile::pmi {

WorldServer::WorldServer(std::set<core::HostIndex> hosts, Gate gate)
    : hosts_(std::move(hosts)),
      in_barriers_(hosts_),
      gate_(gate == Gate::shut ? GateState::shut : GateState::open) {
    if (hosts_.empty()) throw InputError("a world needs at least one host");
}

void WorldServer::on(core::HostIndex host, const FromHost& message, WorldOutbox& out) {
    if (!hosts_.contains(host)) return;
    std::visit([&](const auto& one) { on(host, one, out); }, message);
}

void WorldServer::on(core::HostIndex host, const BarrierReached& message, WorldOutbox& out) {
    if (!in_barriers_.contains(host) || message.round != round_) return;
    if (!reached_.insert(host).second) return;
    take_keys(host, message.keys, out);
    release_if_all(out);
}

void WorldServer::on(core::HostIndex host, const LeftBarriers& message, WorldOutbox& out) {
    if (in_barriers_.erase(host) == 0) return;
    reached_.erase(host);
    take_keys(host, message.keys, out);
    release_if_all(out);
}

void WorldServer::on(core::HostIndex host, const GateReached& /*message*/, WorldOutbox& out) {
    if (gate_ != GateState::shut) return;
    at_gate_.insert(host);
    if (at_gate_ != hosts_) return;
    gate_ = GateState::ready;
    out.emplace_back(GateReady{});
}

void WorldServer::on(core::HostIndex host, const GateLost& /*message*/, WorldOutbox& out) {
    fail_gate(host, out);
}

void WorldServer::on_host_lost(core::HostIndex host, WorldOutbox& out) {
    if (hosts_.erase(host) == 0) return;
    fail_gate(host, out);
    at_gate_.erase(host);
    reached_.erase(host);
    if (in_barriers_.erase(host) != 0) release_if_all(out);
}

void WorldServer::release_gate(WorldOutbox& out) {
    if (gate_ != GateState::ready) return;
    gate_ = GateState::open;
    for (const auto host : hosts_) out.emplace_back(SendToHost{host, ReleaseGate{}});
}

void WorldServer::fail_gate(core::HostIndex host, WorldOutbox& out) {
    if (gate_ == GateState::open || gate_ == GateState::failed) return;
    gate_ = GateState::failed;
    out.emplace_back(GateFailed{host});
}

// The result does not depend on the order in which the hosts' messages arrive.
void WorldServer::take_keys(core::HostIndex host, const Keys& keys, WorldOutbox& out) {
    for (const auto& [key, value] : keys) {
        const auto [known, added] = keys_.try_emplace(key, Value{value, host});
        if (added) continue;
        if (known->second.text != value) out.emplace_back(KeyConflict{key});
        if (host < known->second.from) known->second = {value, host};
    }
}

void WorldServer::release_if_all(WorldOutbox& out) {
    if (in_barriers_.empty() || reached_ != in_barriers_) return;
    Keys merged;
    for (auto& [key, value] : std::exchange(keys_, {})) merged.emplace(key, std::move(value.text));
    const BarrierReleased released{round_, std::move(merged)};
    reached_.clear();
    ++round_.value;
    for (const auto host : in_barriers_) out.emplace_back(SendToHost{host, released});
}

}  // namespace ductile::pmi
