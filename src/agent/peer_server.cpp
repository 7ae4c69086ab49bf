#include "agent/peer_server.hpp"

#include <utility>

namespace ductile::agent {

PeerServer::PeerServer(asio::io_context& io, const Bootstrap& bootstrap, Events events)
    : events_(std::move(events)),
      self_(bootstrap.identity.host),
      server_(
          io, bootstrap.logical ? "127.0.0.1" : "::", 0,
          [job = bootstrap.identity.job,
           secret = bootstrap.secret](const wire::Identity& who) -> std::optional<wire::Admission> {
              if (who.job != job) return std::nullopt;
              return wire::Admission{secret, ""};
          },
          [this](const std::shared_ptr<wire::Channel>& channel, const wire::Identity& who) {
              if (who.host != self_) accepted(channel, who.host);
          }) {}

void PeerServer::accepted(const std::shared_ptr<wire::Channel>& channel, core::HostIndex host) {
    const auto before = std::exchange(channels_[host], channel);
    if (before) before->close();
    channel->on_message = [this, host](const wire::Message& encoded) {
        events_.on_message(host, wire::decode<wire::FromAgent>(encoded));
    };
    channel->on_closed = [this, host, raw = channel.get()](const std::string&, wire::Ending) {
        const auto found = channels_.find(host);
        if (found == channels_.end() || found->second.get() != raw) return;
        channels_.erase(found);
        events_.on_closed(host);
    };
    channel->start();
    events_.on_connected(host);
}

void PeerServer::send(const wire::ToAgent& message) const {
    for (const auto& [host, channel] : channels_) channel->send(message);
}

void PeerServer::close() {
    server_.close();
    for (const auto& [host, channel] : channels_) channel->close();
}

}  // namespace ductile::agent
