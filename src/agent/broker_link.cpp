#include "agent/broker_link.hpp"

#include <chrono>
#include <utility>

namespace ductile::agent {

namespace {

using Clock = os::JobClock;
using std::chrono::milliseconds;

constexpr auto between_attempts = milliseconds(1000);
constexpr auto between_first_attempts = milliseconds(100);

broker_event::Any event_of(wire::ConnectFailure failure) {
    switch (failure) {
        case wire::ConnectFailure::refused:
            return broker_event::Refused{};
        case wire::ConnectFailure::unauthenticated:
            return broker_event::Unauthenticated{};
        case wire::ConnectFailure::unresponsive:
            return broker_event::Unanswered{};
        case wire::ConnectFailure::none:
        case wire::ConnectFailure::unreachable:
            break;
    }
    return broker_event::Unreachable{};
}

}  // namespace

BrokerLink::BrokerLink(asio::io_context& io, const Bootstrap& bootstrap, wire::AgentHello hello,
                       Events events)
    : events_(std::move(events)),
      connection_(io, {bootstrap.identity, bootstrap.secret},
                  {[this](const std::shared_ptr<wire::Channel>& channel) { opened(*channel); },
                   [this](const wire::Message& encoded) {
                       on(broker_event::Heard{});
                       events_.on_message(wire::decode<wire::ToAgent>(encoded));
                   },
                   [this](const wire::ConnectResult& result) { failed(result); },
                   [this](const std::string& why, wire::Ending ending) { closed(why, ending); }}),
      server_{bootstrap.addresses, bootstrap.port},
      hello_(std::move(hello)),
      heartbeat_timer_(io) {}

void BrokerLink::start() {
    on(broker_event::Started{});
    connect();
    tick();
}

void BrokerLink::connect() {
    wire::ChannelLimits limits;
    limits.unacknowledged = std::chrono::duration_cast<milliseconds>(health_.heartbeat().limit);
    connection_.connect(server_, limits);
}

void BrokerLink::opened(const wire::Channel& channel) {
    server_.addresses = {channel.peer_address()};
    send(hello_);
    for (const auto& message : deferred_.take()) send(message);
    on(broker_event::Heard{});
}

void BrokerLink::failed(const wire::ConnectResult& result) {
    last_failure_ = result.why;
    on(event_of(result.failure));
    const auto wait =
        state() == BrokerState::connecting ? between_first_attempts : between_attempts;
    connection_.retry_in(wait, [this] { connect(); });
}

void BrokerLink::closed(const std::string& why, wire::Ending ending) {
    events_.log("connection to the broker closed: " + why);
    last_failure_ = why;
    events_.on_closed();
    if (ending == wire::Ending::failed)
        on(broker_event::CutOff{});
    else
        on(broker_event::Closed{});
    connect();
}

void BrokerLink::on(const broker_event::Any& event) {
    BrokerEffects effects;
    health_.on(event, Clock::now(), effects);
    for (const auto& effect : effects)
        std::visit(wire::Overloaded{[&](const broker_effect::StateChanged& what) {
                                        events_.log("the broker " + to_text(what.state));
                                        events_.on_state(what.state);
                                    },
                                    [&](const broker_effect::WasFrozen&) { events_.on_frozen(); }},
                   effect);
}

void BrokerLink::send(const wire::FromAgent& message) {
    if (!connection_.send(message)) deferred_.add(message);
}

// While the job is stopped, nobody reads heartbeats. They would fill the buffers of the connection,
// which would then end. Whether the broker's host is down, TCP finds out by itself
// (wire/channel.hpp).
void BrokerLink::tick() {
    if (!os::JobClock::is_held()) connection_.send(wire::FromAgent{wire::Heartbeat{}});
    on(broker_event::HeartbeatDue{});
    heartbeat_timer_.expires_after(
        std::chrono::duration_cast<Clock::duration>(health_.heartbeat().every));
    heartbeat_timer_.async_wait([this](const asio::error_code& error) {
        if (!error) tick();
    });
}

void BrokerLink::finish(std::function<void()> done) {
    heartbeat_timer_.cancel();
    connection_.finish(wire::encode(wire::FromAgent{wire::AgentGoodbye{}}), std::move(done));
}

}  // namespace ductile::agent
