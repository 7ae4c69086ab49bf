// Runs another `ductile` beside this one.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/contract.hpp"
#include "os/pipe.hpp"
#include "rms/command.hpp"

namespace ductile::cli {

/// Runs `ductile` with these words, and waits for it in a thread of its own. The run lasts until it
/// ends by itself, until the deadline, or until the destructor. The destructor sends SIGTERM, so
/// that a job can end on all its hosts.
class JobRun {
  public:
    JobRun(std::vector<std::string> words, std::chrono::seconds deadline);
    ~JobRun();
    JobRun(const JobRun&) = delete;
    JobRun& operator=(const JobRun&) = delete;

    [[nodiscard]] bool finished() const { return finished_; }
    /// Precondition: finished().
    [[nodiscard]] const rms::CommandResult& result() const {
        DUCTILE_EXPECT(finished());
        return result_;
    }
    /// Throws SystemError, with the output of the run, unless it succeeded. Precondition:
    /// finished().
    void expect_success() const;

  private:
    rms::Command command_;
    rms::CommandResult result_;
    os::Pipe cancel_ = os::make_pipe("a command");
    std::atomic<bool> finished_{false};
    std::thread thread_;
};

/// Runs `ductile` with these words until it ends, until the deadline, or until the descriptor
/// `cancel_on` becomes readable (-1: no descriptor). Returns the result.
rms::CommandResult run_ductile(const std::vector<std::string>& words, std::chrono::seconds deadline,
                               int cancel_on);

}  // namespace ductile::cli
