// Accepts the connections of the job's other agents.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>

#include "agent/bootstrap.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

namespace ductile::agent {

/// Keeps one connection for each host: the newest one.
class PeerServer {
  public:
    struct Events {
        std::function<void(core::HostIndex)> on_connected;
        std::function<void(core::HostIndex, const wire::FromAgent&)> on_message;
        std::function<void(core::HostIndex)> on_closed;
    };
    PeerServer(asio::io_context& io, const Bootstrap& bootstrap, Events events);

    [[nodiscard]] int port() const { return server_.port(); }
    /// Sends a message to all connected agents.
    void send(const wire::ToAgent& message) const;
    void close();

  private:
    void accepted(const std::shared_ptr<wire::Channel>& channel, core::HostIndex host);

    Events events_;
    core::HostIndex self_;
    std::map<core::HostIndex, std::shared_ptr<wire::Channel>> channels_;
    wire::ChannelServer server_;
};

}  // namespace ductile::agent
