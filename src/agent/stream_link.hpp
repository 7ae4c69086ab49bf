// The agent's second connection to the broker, for the standard streams only. So a slow reader of
// the output never delays a control message.
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

    /// Permits connections, because the broker is reached. The link only connects after
    /// want(), because most ranks write nothing. It reconnects after a loss, until stop().
    void may_connect_to(std::vector<std::string> addresses);
    void want();
    void stop();
    /// Says goodbye after the last output, and closes the connection. Then calls `done`.
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
