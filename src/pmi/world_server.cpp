#include "pmi/world_server.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::pmi {

WorldServer::WorldServer(std::set<core::HostIndex> hosts, Gate gate, Barriers barriers)
    : hosts_(std::move(hosts)),
      in_barriers_(hosts_),
      round_is_known_(barriers == Barriers::from_first),
      gate_(gate == Gate::shut ? GateState::shut : GateState::open) {
    if (hosts_.empty()) throw InputError("a world needs at least one host");
}

void WorldServer::on(core::HostIndex host, const FromHost& message, WorldOutbox& out) {
    if (!hosts_.contains(host)) return;
    std::visit([&](const auto& one) { on(host, one, out); }, message);
}

// Hosts are one barrier apart at most, and after a takeover each host reports its last two barriers
// at most. So one of the three latest barriers is the open one.
bool WorldServer::is_open(BarrierRound round) const {
    if (round_is_known_) return round == round_;
    return barriers_.size() < 3 || barriers_.contains(round) || round > barriers_.begin()->first;
}

void WorldServer::on(core::HostIndex host, const BarrierReached& message, WorldOutbox& out) {
    if (!in_barriers_.contains(host) || !is_open(message.round)) return;
    auto& barrier = barriers_[message.round];
    if (!barrier.reached.insert(host).second) return;
    take_keys(host, message.keys, barrier.keys, out);
    if (barriers_.size() > 3) barriers_.erase(barriers_.begin());
    release_if_all(out);
}

void WorldServer::on(core::HostIndex host, const LeftBarriers& message, WorldOutbox& out) {
    if (in_barriers_.erase(host) == 0) return;
    left_keys_[host] = message.keys;
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
void WorldServer::take_keys(core::HostIndex host, const Keys& keys, Values& into,
                            WorldOutbox& out) {
    for (const auto& [key, value] : keys) {
        const auto [known, added] = into.try_emplace(key, Value{value, host});
        if (added) continue;
        if (known->second.text != value) out.emplace_back(KeyConflict{key});
        if (host < known->second.from) known->second = {value, host};
    }
}

void WorldServer::release_if_all(WorldOutbox& out) {
    if (in_barriers_.empty()) return;
    const auto all = std::ranges::find_if(barriers_, [this](const auto& entry) {
        return std::ranges::includes(entry.second.reached, in_barriers_);
    });
    if (all == barriers_.end()) return;
    const auto round = all->first;
    auto barrier = std::move(all->second);
    barriers_.erase(barriers_.begin(), std::next(all));
    release(round, std::move(barrier), out);
    release_if_all(out);
}

void WorldServer::release(BarrierRound round, Barrier barrier, WorldOutbox& out) {
    for (const auto& [host, keys] : std::exchange(left_keys_, {}))
        take_keys(host, keys, barrier.keys, out);
    Keys merged;
    for (auto& [key, value] : barrier.keys) merged.emplace(key, std::move(value.text));
    const BarrierReleased released{round, std::move(merged)};
    round_ = BarrierRound{round.value + 1};
    round_is_known_ = true;
    for (const auto host : in_barriers_) out.emplace_back(SendToHost{host, released});
}

}  // namespace ductile::pmi
