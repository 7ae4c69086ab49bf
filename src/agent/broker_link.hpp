// The agent's connection to the broker: kept up, watched by heartbeat, and judged when it is lost.
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
        std::function<void(BrokerState)> on_state;  ///< it has changed
        std::function<void()> on_frozen;            ///< this process had been stopped for a while
        std::function<void(const std::string&)> log;
    };
    BrokerLink(asio::io_context& io, const Bootstrap& bootstrap, wire::AgentHello hello,
               Events events);

    void start();
    void set_heartbeat(const Heartbeat& heartbeat) { health_.set_heartbeat(heartbeat); }
    /// Sent now, or when the broker is reached (again): the last 4,096 messages are kept.
    void send(const wire::FromAgent& message);
    /// Says goodbye, if somebody is there to hear it, and closes; then calls `done`.
    void finish(std::function<void()> done);

    [[nodiscard]] BrokerState state() const { return health_.state(); }
    /// The address that worked, else all that are known.
    [[nodiscard]] const std::vector<std::string>& addresses() const { return server_.addresses; }
    [[nodiscard]] const std::string& last_failure() const { return last_failure_; }

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
    asio::steady_timer beat_timer_;
    std::string last_failure_ = "no answer yet";
};

}  // namespace ductile::agent
