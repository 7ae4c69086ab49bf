#include "agent/peer_links.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ductile::agent {

namespace {

using Clock = os::JobClock;

wire::AgentHello hello_of(const wire::Identity& identity) {
    wire::AgentHello hello;
    hello.job = identity.job;
    hello.host = identity.host;
    hello.generation = identity.generation;
    hello.pid = ::getpid();
    return hello;
}

template <class Message>
bool holds(const std::vector<wire::FromAgent>& messages) {
    return std::ranges::any_of(
        messages, [](const wire::FromAgent& one) { return std::holds_alternative<Message>(one); });
}

}  // namespace

PeerLinks::PeerLinks(asio::io_context& io, const Bootstrap& bootstrap, Events events)
    : events_(std::move(events)),
      hello_(hello_of(bootstrap.identity)),
      monitor_(bootstrap.identity.host),
      to_coordinator_(
          io, {bootstrap.identity, bootstrap.secret},
          {[this](const std::shared_ptr<wire::Channel>&) { opened(); },
           [this](const wire::Message& encoded) {
               from_coordinator(wire::decode<wire::ToAgent>(encoded));
           },
           [](const wire::ConnectResult&) {},  // the next tick() tries again
           [this](const std::string&, wire::Ending) { on(peer_event::CoordinatorClosed{}); }}),
      server_(io, bootstrap,
              {[this](core::HostIndex host) { on(peer_event::Heard{host}); },
               [this](core::HostIndex host, const wire::FromAgent& message) {
                   from_peer(host, message);
               },
               [this](core::HostIndex host) { on(peer_event::Closed{host}); }}),
      heartbeat_timer_(io) {
    tick();
}

void PeerLinks::on(const peer_event::Any& event) {
    monitor_.on(event, Clock::now());
    events_.on_change();
}

void PeerLinks::set_coordinator(const wire::Coordinator& coordinator) {
    if (!monitor_.is_coordinator(coordinator.host)) to_coordinator_.drop();
    coordinator_ = {coordinator.addresses, coordinator.port};
    on(peer_event::CoordinatorNamed{coordinator.host, coordinator.members});
}

void PeerLinks::set_brokerless(bool on_now) {
    if (on_now) {
        monitor_.on(peer_event::BrokerLost{}, Clock::now());
        return connect();
    }
    std::erase_if(reports_, [](const wire::FromAgent& report) {
        return std::holds_alternative<wire::RankEnded>(report);
    });
    to_coordinator_.drop();
    monitor_.on(peer_event::CoordinatorClosed{}, Clock::now());
    monitor_.on(peer_event::BrokerBack{}, Clock::now());
}

bool PeerLinks::are_complete() const {
    return monitor_.is_complete(Clock::now());
}

void PeerLinks::from_peer(core::HostIndex host, const wire::FromAgent& message) {
    if (const auto* end = std::get_if<wire::RankEnded>(&message)) {
        events_.log("rank " + std::to_string(end->rank.value) + " of group " +
                    std::to_string(end->group.value) + " failed");
        monitor_.on(peer_event::Failed{host}, Clock::now());
    }
    if (std::holds_alternative<wire::AgentGoodbye>(message))
        monitor_.on(peer_event::Ended{host}, Clock::now());
    on(peer_event::Heard{host});
}

void PeerLinks::from_coordinator(const wire::ToAgent& message) {
    if (std::holds_alternative<wire::FinishAgent>(message))
        monitor_.on(peer_event::CoordinatorEnded{}, Clock::now());
    if (const auto* end = std::get_if<wire::EndJob>(&message)) events_.on_end(end->why);
    on(peer_event::CoordinatorHeard{});
}

void PeerLinks::connect() {
    if (monitor_.wants_coordinator() && coordinator_.port != 0)
        to_coordinator_.connect(coordinator_);
}

void PeerLinks::opened() {
    to_coordinator_.send(wire::FromAgent{hello_});
    for (const auto& report : reports_) to_coordinator_.send(report);
    on(peer_event::CoordinatorHeard{});
}

void PeerLinks::tick() {
    connect();
    to_coordinator_.send(wire::FromAgent{wire::Heartbeat{}});
    server_.send(wire::Heartbeat{});
    const bool now_complete = are_complete();
    if (std::exchange(was_complete_, now_complete) != now_complete) events_.on_change();
    heartbeat_timer_.expires_after(
        std::chrono::duration_cast<Clock::duration>(monitor_.heartbeat().every));
    heartbeat_timer_.async_wait([this](const asio::error_code& error) {
        if (!error) tick();
    });
}

void PeerLinks::report_end() {
    if (holds<wire::AgentGoodbye>(reports_)) return;
    reports_.emplace_back(wire::AgentGoodbye{});
    to_coordinator_.send(reports_.back());
}

void PeerLinks::report_failure(const wire::RankEnded& end) {
    if (holds<wire::RankEnded>(reports_)) return;
    reports_.emplace_back(end);
    to_coordinator_.send(reports_.back());
}

void PeerLinks::dismiss(const std::string& why) {
    server_.send(why.empty() ? wire::ToAgent{wire::FinishAgent{}}
                             : wire::ToAgent{wire::EndJob{why}});
}

void PeerLinks::close() {
    heartbeat_timer_.cancel();
    server_.close();
    to_coordinator_.drop();
}

}  // namespace ductile::agent
