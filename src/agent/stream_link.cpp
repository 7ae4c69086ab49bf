#include "agent/stream_link.hpp"

#include <utility>

namespace ductile::agent {

namespace {

constexpr auto between_attempts = std::chrono::milliseconds(300);

wire::Identity stream_of(wire::Identity identity) {
    identity.stream = true;
    return identity;
}

}  // namespace

StreamLink::StreamLink(asio::io_context& io, const Bootstrap& bootstrap, wire::AgentHello hello,
                       Output& output, Input& input)
    : connection_(
          io, {stream_of(bootstrap.identity), bootstrap.secret},
          {[this](const std::shared_ptr<wire::Channel>& channel) { opened(channel); },
           [this](const wire::Message& encoded) {
               input_.give(std::get<wire::Input>(wire::decode<wire::ToStream>(encoded)).data);
           },
           [this](const wire::ConnectResult&) { retry(); },
           [this](const std::string&, wire::Ending) { closed(); }}),
      server_{{}, bootstrap.port},
      hello_(std::move(hello)),
      output_(output),
      input_(input) {}

void StreamLink::may_connect_to(std::vector<std::string> addresses) {
    server_.addresses = std::move(addresses);
    if (!std::exchange(allowed_, true)) connect_if_due();
}

void StreamLink::want() {
    if (!std::exchange(wanted_, true)) connect_if_due();
}

void StreamLink::connect_if_due() {
    if (allowed_ && wanted_) connection_.connect(server_);
}

void StreamLink::opened(const std::shared_ptr<wire::Channel>& channel) {
    channel->on_drained = [this] { output_.drained(); };
    connection_.send(wire::FromStream{hello_});
    input_.attach(channel);
    output_.attach(channel);
}

void StreamLink::closed() {
    output_.detach();
    input_.attach(nullptr);
    retry();
}

void StreamLink::retry() {
    if (allowed_) connection_.retry_in(between_attempts, [this] { connect_if_due(); });
}

void StreamLink::stop() {
    allowed_ = false;
    connection_.abandon();
}

void StreamLink::finish(std::function<void()> done) {
    stop();
    connection_.finish(wire::encode(wire::FromStream{wire::AgentGoodbye{}}), std::move(done));
}

}  // namespace ductile::agent
