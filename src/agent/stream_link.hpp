// The agent's second connection to the broker: standard streams, so that a slow reader never delays
// a control message.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/bootstrap.hpp"
#include "agent/input.hpp"
#include "agent/output.hpp"
#include "wire/channel.hpp"

namespace ductile::agent {

class StreamLink {
  public:
    StreamLink(asio::io_context& io, const Bootstrap& bootstrap, wire::AgentHello hello,
               Output& output, Input& input);

    /// A connection is made once somebody wants one and the broker is known to be there, and again
    /// when it breaks, until stop(). Most hosts' ranks write nothing.
    void may_connect_to(std::vector<std::string> addresses);
    void want();
    void stop();
    /// Says goodbye after the last output, and closes; then calls `done`.
    void finish(std::function<void()> done);

  private:
    void connect_if_due();
    void connected(wire::ConnectResult result);
    void retry();

    asio::io_context& io_;
    wire::Identity identity_;
    wire::Secret secret_;
    std::vector<std::string> addresses_;
    int port_;
    wire::AgentHello hello_;
    Output& output_;
    Input& input_;
    asio::steady_timer retry_timer_;
    std::shared_ptr<wire::Channel> channel_;
    std::function<void()> finished_;
    bool allowed_ = false, wanted_ = false, connecting_ = false;
};

}  // namespace ductile::agent
