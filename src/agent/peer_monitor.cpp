#include "agent/peer_monitor.hpp"

#include <unistd.h>

#include <algorithm>

namespace ductile::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto connect_deadline = std::chrono::seconds(3);

}  // namespace

PeerMonitor::PeerMonitor(asio::io_context& io, const Bootstrap& bootstrap, Events events)
    : io_(io),
      identity_(bootstrap.identity),
      secret_(bootstrap.secret),
      events_(std::move(events)),
      timer_(io),
      server_(
          io, bootstrap.logical ? "127.0.0.1" : "0.0.0.0", 0,
          [this](const wire::Identity& who) -> std::optional<wire::Admission> {
              if (who.job != identity_.job) return std::nullopt;
              return wire::Admission{secret_, ""};
          },
          [this](std::shared_ptr<wire::Channel> channel, const wire::Identity& who) {
              accepted(std::move(channel), who);
          }) {
    tick();
}

void PeerMonitor::set_timing(double beat_s, double beat_limit_s) {
    beat_ = std::chrono::duration<double>(beat_s);
    beat_limit_ = std::chrono::duration<double>(beat_limit_s);
}

void PeerMonitor::set_deputy(const wire::Deputy& deputy) {
    if (deputy_ && deputy_->host != deputy.host) {
        if (to_deputy_.channel) to_deputy_.channel->close();
        to_deputy_ = {};
    }
    deputy_ = deputy;
    events_.on_change();
}

bool PeerMonitor::is_deputy() const {
    return deputy_ && deputy_->host == identity_.host;
}

void PeerMonitor::use(bool on) {
    on_ = on;
    if (on) return connect();
    failure_.reset();
    if (to_deputy_.channel) to_deputy_.channel->close();
}

bool PeerMonitor::is_heard(const Peer& peer) const {
    return peer.channel && peer.channel->open() && Clock::now() - peer.heard <= beat_limit_;
}

bool PeerMonitor::complete() const {
    if (!deputy_) return false;
    // A deputy that has ended waited for all members: who still runs then is none.
    if (!is_deputy()) return !to_deputy_.ended && is_heard(to_deputy_);
    return std::ranges::all_of(deputy_->members, [this](core::HostIndex host) {
        if (host == identity_.host) return true;
        const auto it = peers_.find(host);
        return it != peers_.end() && (it->second.ended || is_heard(it->second));
    });
}

bool PeerMonitor::others_ended() const {
    if (!deputy_) return true;
    if (!is_deputy()) return to_deputy_.ended;
    return std::ranges::all_of(deputy_->members, [this](core::HostIndex host) {
        const auto it = peers_.find(host);
        return host == identity_.host || (it != peers_.end() && it->second.ended);
    });
}

void PeerMonitor::accepted(std::shared_ptr<wire::Channel> channel, const wire::Identity& who) {
    if (closed_ || who.host == identity_.host) return;
    auto& peer = peers_[who.host];
    if (peer.channel) peer.channel->close();
    peer.channel = channel;
    peer.heard = Clock::now();
    channel->on_message = [this, host = who.host](const wire::Json& json) {
        from_peer(host, json);
    };
    channel->on_closed = [this, host = who.host, raw = channel.get()](const std::string&,
                                                                      wire::Ending) {
        auto& closed = peers_[host];
        if (closed.channel.get() == raw) closed.channel.reset();
        events_.on_change();
    };
    channel->start();
    events_.on_change();
}

void PeerMonitor::from_peer(core::HostIndex host, const wire::Json& json) {
    auto& peer = peers_[host];
    peer.heard = Clock::now();
    const auto message = wire::decode<wire::FromAgent>(json);
    if (std::holds_alternative<wire::AgentGoodbye>(message)) peer.ended = true;
    if (const auto* end = std::get_if<wire::RankEnded>(&message))
        events_.on_failure("rank " + std::to_string(end->rank.value) + " of group " +
                           std::to_string(end->group.value) + " failed");
    events_.on_change();
}

void PeerMonitor::connect() {
    const bool wanted = on_ && deputy_ && !is_deputy() && deputy_->port != 0 && !closed_;
    if (!wanted || connecting_ || to_deputy_.channel || to_deputy_.ended) return;
    connecting_ = true;
    wire::connect_channel(io_, deputy_->addresses, deputy_->port, identity_, secret_,
                          connect_deadline,
                          [this](wire::ConnectResult result) { connected(std::move(result)); });
}

void PeerMonitor::connected(wire::ConnectResult result) {
    connecting_ = false;
    if (!result.channel || !on_ || closed_) return;
    auto channel = std::move(result.channel);
    to_deputy_.channel = channel;
    to_deputy_.heard = Clock::now();
    channel->on_message = [this](const wire::Json& json) {
        to_deputy_.heard = Clock::now();
        const auto message = wire::decode<wire::ToAgent>(json);
        if (std::holds_alternative<wire::FinishAgent>(message)) to_deputy_.ended = true;
        if (const auto* end = std::get_if<wire::EndJob>(&message)) events_.on_end(end->why);
        events_.on_change();
    };
    channel->on_closed = [this, raw = channel.get()](const std::string&, wire::Ending) {
        if (to_deputy_.channel.get() == raw) to_deputy_.channel.reset();
        events_.on_change();
    };
    channel->start();
    wire::AgentHello hello;
    hello.job = identity_.job;
    hello.host = identity_.host;
    hello.generation = identity_.generation;
    hello.pid = ::getpid();
    channel->send(wire::FromAgent{hello});
    if (failure_) channel->send(wire::FromAgent{*failure_});
    if (said_ended_) channel->send(wire::FromAgent{wire::AgentGoodbye{}});
    events_.on_change();
}

void PeerMonitor::tick() {
    if (closed_) return;
    connect();
    if (to_deputy_.channel) to_deputy_.channel->send(wire::FromAgent{wire::Beat{}});
    for (auto& [host, peer] : peers_)
        if (peer.channel) peer.channel->send(wire::ToAgent{wire::Beat{}});
    const bool now_complete = complete();
    if (std::exchange(was_complete_, now_complete) != now_complete) events_.on_change();
    timer_.expires_after(std::chrono::duration_cast<Clock::duration>(beat_));
    timer_.async_wait([this](const asio::error_code& error) {
        if (!error) tick();
    });
}

void PeerMonitor::say_ended() {
    if (std::exchange(said_ended_, true)) return;
    if (to_deputy_.channel) to_deputy_.channel->send(wire::FromAgent{wire::AgentGoodbye{}});
}

void PeerMonitor::say_failed(const wire::RankEnded& end) {
    if (failure_) return;
    failure_ = end;
    if (to_deputy_.channel) to_deputy_.channel->send(wire::FromAgent{end});
}

void PeerMonitor::dismiss(const std::string& why) {
    for (auto& [host, peer] : peers_) {
        if (!peer.channel) continue;
        peer.channel->send(why.empty() ? wire::ToAgent{wire::FinishAgent{}}
                                       : wire::ToAgent{wire::EndJob{why}});
    }
}

void PeerMonitor::close() {
    closed_ = true;
    timer_.cancel();
    server_.close();
    if (to_deputy_.channel) to_deputy_.channel->close();
    for (auto& [host, peer] : peers_)
        if (peer.channel) peer.channel->close();
}

}  // namespace ductile::agent
