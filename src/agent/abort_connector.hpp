// A singleton that connects to a port where the program's leader waits in vain, and says
// "abandoned".
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/launcher_run.hpp"
#include "agent/stale_files.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::agent {

class AbortConnector : public std::enable_shared_from_this<AbortConnector> {
  public:
    /// Starts `program PORT`; transaction and secret go in on its standard input as a line of JSON.
    /// It is killed after 5 s. Throws SystemError when it cannot be started.
    static std::shared_ptr<AbortConnector> start(asio::io_context& io, const std::string& program,
                                                 const wire::RunAbortConnector& what,
                                                 std::vector<std::string> environment,
                                                 const std::string& stale_files_record);
    AbortConnector(asio::io_context& io, core::TransactionId transaction,
                   const std::string& stale_files_record)
        : timer_(io), transaction_(transaction), stale_files_(stale_files_record) {}

    [[nodiscard]] pid_t pid() const { return run_->pid(); }
    void kill();
    /// Its wait status has been read.
    wire::AbortConnectorEnded reaped(int status);

  private:
    void heard(const std::string& line);

    asio::steady_timer timer_;
    core::TransactionId transaction_;
    StaleFiles stale_files_;
    std::shared_ptr<LauncherRun> run_;
    bool late_ = false;
    std::string said_;
};

}  // namespace ductile::agent
