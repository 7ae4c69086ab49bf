// Another `ductile`, run beside this one.
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

/// Runs `ductile` with these words in a thread of its own, to its end, its deadline, or the end of
/// this object, which ends it in order.
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
    /// Throws SystemError, with what it printed, unless it has ended well. Precondition:
    /// finished().
    void expect_success() const;

  private:
    rms::Command command_;
    rms::CommandResult result_;
    os::Pipe cancel_ = os::make_pipe("a command");
    std::atomic<bool> finished_{false};
    std::thread thread_;
};

/// Runs `ductile` with these words to its end and returns the result. `cancel_on`: a descriptor
/// that ends it when it becomes readable, or -1.
rms::CommandResult run_ductile(const std::vector<std::string>& words, std::chrono::seconds deadline,
                               int cancel_on);

}  // namespace ductile::cli
