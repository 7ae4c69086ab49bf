// A process without a launcher (an MPI singleton). It connects to a port where a rank waits in vain
// for a connection, and says "abandoned".
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "os/job_timer.hpp"

#include "agent/launcher_run.hpp"
#include "agent/stale_files.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::agent {

class AbortConnector : public std::enable_shared_from_this<AbortConnector> {
  public:
    /// Starts `program`. Its standard input is `what`, as a frame with port, transaction and
    /// secret. The agent kills it after 5 s. Throws SystemError if it cannot be started.
    static std::shared_ptr<AbortConnector> start(asio::io_context& io, const std::string& program,
                                                 const wire::RunAbortConnector& what,
                                                 std::vector<std::string> environment,
                                                 const std::string& stale_files_record);
    AbortConnector(asio::io_context& io, core::TransactionId transaction,
                   const std::string& stale_files_record)
        : timer_(io), transaction_(transaction), stale_files_(stale_files_record) {}

    [[nodiscard]] pid_t pid() const { return run_->pid(); }
    void kill();
    /// The agent has read the wait status of the process.
    wire::AbortConnectorEnded reaped(int status);

  private:
    void heard(const std::string& line);

    os::JobTimer timer_;
    core::TransactionId transaction_;
    StaleFiles stale_files_;
    std::shared_ptr<LauncherRun> run_;
    bool late_ = false;
    std::string said_;
};

}  // namespace ductile::agent
