#include "agent/peer_monitor.hpp"

#include <algorithm>

#include "core/overloaded.hpp"

namespace ductile::agent {

void PeerMonitor::on(const peer_event::Any& event, Time now) {
    std::visit(core::Overloaded{
                   [&](const peer_event::CoordinatorNamed& what) { name(what); },
                   [&](const peer_event::BrokerLost&) { is_brokerless_ = true; },
                   [&](const peer_event::BrokerBack&) {
                       is_brokerless_ = false;
                       has_failed_ = false;
                   },
                   [&](const peer_event::Heard& what) { peers_[what.from].heard = now; },
                   [&](const peer_event::Ended& what) { peers_[what.from].ended = true; },
                   [&](const peer_event::Failed&) { has_failed_ = true; },
                   [&](const peer_event::Closed& what) { peers_[what.from].heard.reset(); },
                   [&](const peer_event::CoordinatorHeard&) {
                       if (coordinator_) coordinator_->peer.heard = now;
                   },
                   [&](const peer_event::CoordinatorEnded&) {
                       if (coordinator_) coordinator_->peer.ended = true;
                   },
                   [&](const peer_event::CoordinatorClosed&) {
                       if (coordinator_) coordinator_->peer.heard.reset();
                   },
               },
               event);
}

// If the coordinator changes, nothing is known of the new one yet.
void PeerMonitor::name(const peer_event::CoordinatorNamed& what) {
    const auto peer = is_coordinator(what.host) ? coordinator_->peer : Peer{};
    coordinator_ = Coordinator{what.host, what.members, peer};
}

bool PeerMonitor::is_coordinator(core::HostIndex host) const {
    return coordinator_ && coordinator_->host == host;
}

bool PeerMonitor::is_coordinator() const {
    return is_coordinator(self_);
}

bool PeerMonitor::wants_coordinator() const {
    return is_brokerless_ && knows_coordinator() && !is_coordinator() && !coordinator_->peer.ended;
}

bool PeerMonitor::is_heard(const Peer& peer, Time now) const {
    return peer.heard && now - *peer.heard <= heartbeat_.limit;
}

template <class Predicate>
bool PeerMonitor::all_members(const Predicate& is_well) const {
    return std::ranges::all_of(coordinator_->members, [&](core::HostIndex host) {
        const auto found = peers_.find(host);
        return host == self_ || (found != peers_.end() && is_well(found->second));
    });
}

bool PeerMonitor::is_complete(Time now) const {
    if (!coordinator_) return false;
    const auto& peer = coordinator_->peer;
    // A coordinator ends only after all hosts with members. So if it has ended and this host still
    // runs, this host has no members, and nobody holds the job together.
    if (!is_coordinator()) return !peer.ended && is_heard(peer, now);
    return all_members([&](const Peer& member) { return member.ended || is_heard(member, now); });
}

bool PeerMonitor::others_ended() const {
    if (!coordinator_) return true;
    if (!is_coordinator()) return coordinator_->peer.ended;
    return all_members([](const Peer& member) { return member.ended; });
}

}  // namespace ductile::agent
