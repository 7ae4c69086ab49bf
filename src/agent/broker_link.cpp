#include "agent/broker_link.hpp"

#include <asio/post.hpp>

namespace ductile::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto connect_deadline = std::chrono::seconds(4);
constexpr auto between_attempts = std::chrono::seconds(1);
constexpr auto between_first_attempts = std::chrono::milliseconds(100);
constexpr std::size_t max_waiting = 4096;
// So often in a row somebody else answers at the broker's port before that is believed: a process
// that is just dying may accept once more.
constexpr int strangers_to_believe = 3;

}  // namespace

BrokerLink::BrokerLink(asio::io_context& io, const Bootstrap& bootstrap, wire::AgentHello hello,
                       Events events)
    : io_(io),
      identity_(bootstrap.identity),
      secret_(bootstrap.secret),
      addresses_(bootstrap.addresses),
      port_(bootstrap.port),
      hello_(std::move(hello)),
      events_(std::move(events)),
      retry_timer_(io),
      beat_timer_(io) {}

void BrokerLink::start() {
    heard_ = ticked_ = Clock::now();
    connect();
    tick();
}

void BrokerLink::set_timing(double beat_s, double beat_limit_s) {
    beat_ = std::chrono::duration<double>(beat_s);
    beat_limit_ = std::chrono::duration<double>(beat_limit_s);
}

void BrokerLink::connect() {
    wire::ChannelLimits limits;
    limits.unacknowledged = std::chrono::duration_cast<std::chrono::milliseconds>(beat_limit_);
    wire::connect_channel(
        io_, addresses_, port_, identity_, secret_, connect_deadline,
        [this](wire::ConnectResult result) { connected(std::move(result)); }, limits);
}

void BrokerLink::connected(wire::ConnectResult result) {
    if (finishing_) return;
    if (!result.channel) {
        last_failure_ = result.why;
        judge(result.failure);
        return retry();
    }
    channel_ = std::move(result.channel);
    addresses_ = {channel_->peer_address()};
    strangers_ = 0;
    channel_->on_message = [this](const wire::Json& json) {
        heard();
        events_.on_message(wire::decode<wire::ToAgent>(json));
    };
    channel_->on_closed = [this](const std::string& why, wire::Ending ending) {
        closed(why, ending);
    };
    channel_->start();
    channel_->send(wire::FromAgent{hello_});
    for (const auto& message : waiting_) channel_->send(message);
    waiting_.clear();
    heard();
}

void BrokerLink::retry() {
    if (finishing_) return;
    const bool first = state_ == BrokerState::connecting;
    retry_timer_.expires_after(first ? Clock::duration(between_first_attempts) : between_attempts);
    retry_timer_.async_wait([this](const asio::error_code& error) {
        if (!error) connect();
    });
}

void BrokerLink::closed(const std::string& why, wire::Ending ending) {
    channel_.reset();
    if (finished_) return asio::post(io_, std::exchange(finished_, nullptr));
    if (finishing_) return;
    events_.log("connection to the broker closed: " + why);
    last_failure_ = why;
    // A closed connection alone does not say that the process is gone: the next attempt does. One
    // that failed for want of acknowledgements means a host that does not answer.
    if (ending == wire::Ending::failed) become(BrokerState::unreachable);
    connect();
}

void BrokerLink::heard() {
    heard_ = Clock::now();
    become(BrokerState::connected);
}

void BrokerLink::judge(wire::ConnectFailure failure) {
    strangers_ = failure == wire::ConnectFailure::stranger ? strangers_ + 1 : 0;
    if (state_ == BrokerState::connecting) return;
    switch (failure) {
        case wire::ConnectFailure::none:
            return;
        case wire::ConnectFailure::refused:
            return become(BrokerState::gone);
        case wire::ConnectFailure::mute:
            return become(BrokerState::mute);
        case wire::ConnectFailure::unreachable:
            return become(BrokerState::unreachable);
        case wire::ConnectFailure::stranger:
            if (strangers_ >= strangers_to_believe) become(BrokerState::gone);
    }
}

void BrokerLink::become(BrokerState state) {
    if (state_ == state) return;
    state_ = state;
    events_.log("the broker " + to_text(state));
    events_.on_state(state);
}

void BrokerLink::send(const wire::FromAgent& message) {
    if (channel_) return channel_->send(message);
    if (waiting_.size() == max_waiting) waiting_.pop_front();
    waiting_.push_back(message);
}

// Every beat: say that we live, and see whether the broker has been silent for too long.
void BrokerLink::tick() {
    const auto now = Clock::now();
    if (now - ticked_ > beat_ * 2 + std::chrono::seconds(1)) {
        heard_ = now;
        events_.on_frozen();
    }
    ticked_ = now;
    if (channel_) channel_->send(wire::FromAgent{wire::Beat{}});
    if (channel_ && state_ == BrokerState::connected && now - heard_ > beat_limit_)
        become(BrokerState::mute);
    beat_timer_.expires_after(std::chrono::duration_cast<Clock::duration>(beat_));
    beat_timer_.async_wait([this](const asio::error_code& error) {
        if (!error) tick();
    });
}

void BrokerLink::finish(std::function<void()> done) {
    finishing_ = true;
    retry_timer_.cancel();
    beat_timer_.cancel();
    if (!channel_) return asio::post(io_, std::move(done));
    finished_ = std::move(done);
    channel_->send(wire::FromAgent{wire::AgentGoodbye{}});
    channel_->close();
}

}  // namespace ductile::agent
