// The agent's second connection to the broker: standard streams, so that a slow reader never delays
// a control message.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/bootstrap.hpp"
#include "agent/client_channel.hpp"
#include "agent/input.hpp"
#include "agent/output.hpp"

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
    void opened(const std::shared_ptr<wire::Channel>& channel);
    void closed();
    void retry();

    ClientChannel connection_;
    Endpoint server_;
    wire::AgentHello hello_;
    Output& output_;
    Input& input_;
    bool allowed_ = false, wanted_ = false;
};

}  // namespace ductile::agent
