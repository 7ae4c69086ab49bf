// The agent's connection to the broker: kept up, watched by heartbeat, and judged when it is lost.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/bootstrap.hpp"
#include "agent/orphan_watch.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

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
    void set_timing(double beat_s, double beat_limit_s);
    /// Sent now, or when the broker is reached (again): the last 4,096 messages are kept.
    void send(const wire::FromAgent& message);
    /// Says goodbye, if somebody is there to hear it, and closes; then calls `done`.
    void finish(std::function<void()> done);

    [[nodiscard]] BrokerState state() const { return state_; }
    /// The address that worked, else all that are known.
    [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }
    [[nodiscard]] const std::string& last_failure() const { return last_failure_; }

  private:
    void connect();
    void connected(wire::ConnectResult result);
    void retry();
    void closed(const std::string& why, wire::Ending ending);
    void heard();
    void tick();
    void judge(wire::ConnectFailure failure);
    void become(BrokerState state);

    asio::io_context& io_;
    wire::Identity identity_;
    wire::Secret secret_;
    std::vector<std::string> addresses_;
    int port_;
    wire::AgentHello hello_;
    Events events_;
    asio::steady_timer retry_timer_, beat_timer_;
    std::shared_ptr<wire::Channel> channel_;
    std::deque<wire::FromAgent> waiting_;
    std::function<void()> finished_;
    BrokerState state_ = BrokerState::connecting;
    std::string last_failure_ = "no answer yet";
    std::chrono::steady_clock::time_point heard_, ticked_;
    std::chrono::duration<double> beat_{1}, beat_limit_{5};
    int strangers_ = 0;
    bool finishing_ = false;
};

}  // namespace ductile::agent
