// The agent's connection to the broker: reconnects, sends heartbeats, and classifies a loss.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <string>
#include <vector>

#include "agent/bootstrap.hpp"
#include "agent/broker_health.hpp"
#include "agent/client_channel.hpp"
#include "agent/deferred_messages.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::agent {

class BrokerLink {
  public:
    struct Events {
        std::function<void(const wire::ToAgent&)> on_message;
        std::function<void(BrokerState)> on_state;  ///< the state has changed
        std::function<void()> on_frozen;            ///< this process was stopped for a while
        std::function<void()> on_closed;            ///< the connection has ended
        std::function<void(const std::string&)> log;
    };
    BrokerLink(asio::io_context& io, const Bootstrap& bootstrap, wire::AgentHello hello,
               Events events);

    void start();
    void set_heartbeat(const Heartbeat& heartbeat) { health_.set_heartbeat(heartbeat); }
    /// Sends the message now, or when the broker is reached again (DeferredMessages).
    void send(const wire::FromAgent& message);
    /// Says goodbye if there is a connection, and closes it. Then calls `done`.
    void finish(std::function<void()> done);

    [[nodiscard]] BrokerState state() const { return health_.state(); }
    /// The address that worked, or all known addresses if none has worked yet.
    [[nodiscard]] const std::vector<std::string>& addresses() const { return server_.addresses; }
    [[nodiscard]] const std::string& last_failure() const { return last_failure_; }
    /// The broker's process was there at the last attempt to connect, and did not answer.
    [[nodiscard]] bool is_unanswered() const { return connection_.is_unanswered(); }

  private:
    void connect();
    void opened(const wire::Channel& channel);
    void failed(const wire::ConnectResult& result);
    void closed(const std::string& why, wire::Ending ending);
    void tick();
    void on(const broker_event::Any& event);

    Events events_;
    ClientChannel connection_;
    Endpoint server_;
    wire::AgentHello hello_;
    BrokerHealth health_;
    DeferredMessages deferred_;
    asio::steady_timer heartbeat_timer_;
    std::string last_failure_ = "no answer yet";
};

}  // namespace ductile::agent
