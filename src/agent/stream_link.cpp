#include "agent/stream_link.hpp"

#include <asio/post.hpp>

namespace ductile::agent {

namespace {

constexpr auto connect_deadline = std::chrono::seconds(4);
constexpr auto between_attempts = std::chrono::milliseconds(300);

wire::Identity stream_of(wire::Identity identity) {
    identity.stream = true;
    return identity;
}

}  // namespace

StreamLink::StreamLink(asio::io_context& io, const Bootstrap& bootstrap, wire::AgentHello hello,
                       Output& output, Input& input)
    : io_(io),
      identity_(stream_of(bootstrap.identity)),
      secret_(bootstrap.secret),
      port_(bootstrap.port),
      hello_(std::move(hello)),
      output_(output),
      input_(input),
      retry_timer_(io) {}

void StreamLink::may_connect_to(std::vector<std::string> addresses) {
    addresses_ = std::move(addresses);
    if (!std::exchange(allowed_, true)) connect_if_due();
}

void StreamLink::want() {
    if (!std::exchange(wanted_, true)) connect_if_due();
}

void StreamLink::connect_if_due() {
    if (!allowed_ || !wanted_ || channel_ || connecting_) return;
    connecting_ = true;
    wire::connect_channel(io_, addresses_, port_, identity_, secret_, connect_deadline,
                          [this](wire::ConnectResult result) { connected(std::move(result)); });
}

void StreamLink::connected(wire::ConnectResult result) {
    connecting_ = false;
    if (!allowed_) return;
    if (!result.channel) return retry();
    channel_ = std::move(result.channel);
    channel_->on_message = [this](const wire::Json& json) {
        input_.give(std::get<wire::Input>(wire::decode<wire::ToStream>(json)).data);
    };
    channel_->on_drained = [this] { output_.drained(); };
    channel_->on_closed = [this](const std::string&, wire::Ending) {
        channel_.reset();
        output_.detach();
        input_.attach(nullptr);
        if (finished_) return asio::post(io_, std::exchange(finished_, nullptr));
        retry();
    };
    channel_->start();
    channel_->send(wire::FromStream{hello_});
    input_.attach(channel_);
    output_.attach(channel_);
}

void StreamLink::retry() {
    if (!allowed_) return;
    retry_timer_.expires_after(between_attempts);
    retry_timer_.async_wait([this](const asio::error_code& error) {
        if (!error) connect_if_due();
    });
}

void StreamLink::stop() {
    allowed_ = false;
    retry_timer_.cancel();
}

void StreamLink::finish(std::function<void()> done) {
    stop();
    if (!channel_) return asio::post(io_, std::move(done));
    finished_ = std::move(done);
    channel_->send(wire::FromStream{wire::AgentGoodbye{}});
    channel_->close();
}

}  // namespace ductile::agent
