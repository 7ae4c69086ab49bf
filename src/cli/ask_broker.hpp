// One request to a broker and its replies.
#pragma once

#include <chrono>
#include <functional>

#include "cli/command_line.hpp"
#include "ductile/error.hpp"

namespace ductile::cli {

/// The broker's process is stopped: by Ctrl-Z, by SIGSTOP, or by a debugger. What it was asked for
/// will not be carried out.
class BrokerStopped : public SystemError {
  public:
    BrokerStopped(const std::string& job, pid_t broker);
    [[nodiscard]] pid_t broker() const { return broker_; }

  private:
    pid_t broker_;
};

/// Sends the request and calls `on_reply` for each reply until `on_reply` returns true. Waits at
/// most `first` for the first reply. Waits for later replies without limit: the broker has the
/// deadlines, and the wait ends if the broker ends. Throws SystemError if the broker cannot be
/// reached, if the first reply does not come in time, or if the broker closes the connection.
/// Throws BrokerStopped if the broker has been stopped for a second and has not read the request. A
/// broker that is stopped later is waited for, and the user is told.
void ask_broker(const JobSocket& job, const wire::Request& request, std::chrono::seconds first,
                const std::function<bool(const wire::Reply&)>& on_reply);

/// The exit code for a reply.
int exit_code_for(wire::ReplyKind kind);

}  // namespace ductile::cli
