#include "agent/client_channel.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <utility>

namespace ductile::agent {

namespace {

// A process that runs answers within milliseconds, or within 2 s on a machine with much to do.
constexpr std::chrono::milliseconds first_answer(2000);
constexpr std::chrono::milliseconds longest_answer(60000);

}  // namespace

ClientChannel::ClientChannel(asio::io_context& io, Credentials credentials, Events events)
    : io_(io), credentials_(std::move(credentials)), events_(std::move(events)), retry_timer_(io) {}

void ClientChannel::connect(const Endpoint& server, const wire::ChannelLimits& limits) {
    if (!std::holds_alternative<Idle>(state_)) return;
    const int attempt = ++attempts_;
    state_ = Connecting{attempt};
    const auto answer = std::min(longest_answer, first_answer * (1 << std::min(unanswered_, 5)));
    wire::connect_channel(
        io_, server.addresses, server.port, credentials_.identity, credentials_.secret, answer,
        [this, attempt](const wire::ConnectResult& result) { connected(attempt, result); }, limits);
}

void ClientChannel::connected(int attempt, const wire::ConnectResult& result) {
    const auto* connecting = std::get_if<Connecting>(&state_);
    if (connecting == nullptr || connecting->attempt != attempt) return;
    state_ = Idle{};
    unanswered_ = result.failure == wire::ConnectFailure::unresponsive ? unanswered_ + 1 : 0;
    const auto& channel = result.channel;
    if (!channel) return events_.on_failed(result);
    state_ = Open{channel};
    channel->on_message = [this, raw = channel.get()](const wire::Message& encoded) {
        if (uses(raw)) events_.on_message(encoded);
    };
    channel->on_closed = [this, raw = channel.get()](const std::string& why, wire::Ending ending) {
        closed(raw, why, ending);
    };
    channel->start();
    events_.on_open(channel);
}

bool ClientChannel::uses(const wire::Channel* channel) const {
    const auto* open = std::get_if<Open>(&state_);
    const auto* closing = std::get_if<Closing>(&state_);
    return (open != nullptr && open->channel.get() == channel) ||
           (closing != nullptr && closing->channel.get() == channel);
}

void ClientChannel::closed(const wire::Channel* channel, const std::string& why,
                           wire::Ending ending) {
    if (!uses(channel)) return;
    if (auto* closing = std::get_if<Closing>(&state_)) {
        asio::post(io_, std::move(closing->done));
        state_ = Finished{};
        return;
    }
    state_ = Idle{};
    events_.on_closed(why, ending);
}

void ClientChannel::retry_in(std::chrono::milliseconds pause, std::function<void()> attempt) {
    retry_timer_.expires_after(pause);
    retry_timer_.async_wait([attempt = std::move(attempt)](const asio::error_code& error) {
        if (!error) attempt();
    });
}

void ClientChannel::abandon() {
    retry_timer_.cancel();
    if (std::holds_alternative<Connecting>(state_)) state_ = Idle{};
}

void ClientChannel::drop() {
    abandon();
    unanswered_ = 0;  // the next connection may be to another server
    auto* open = std::get_if<Open>(&state_);
    if (open == nullptr) return;
    const auto channel = std::move(open->channel);
    state_ = Idle{};
    channel->close();
}

void ClientChannel::finish(const wire::Message& last_word, std::function<void()> done) {
    abandon();
    const auto* open = std::get_if<Open>(&state_);
    if (open == nullptr) {
        state_ = Finished{};
        return asio::post(io_, std::move(done));
    }
    const auto channel = open->channel;
    state_ = Closing{channel, std::move(done)};
    channel->send(last_word);
    channel->close();
}

}  // namespace ductile::agent
