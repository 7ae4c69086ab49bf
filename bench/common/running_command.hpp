// A command that runs in the background.
#pragma once

#include <chrono>
#include <future>

#include "rms/command.hpp"

namespace ductile::bench {

class RunningCommand {
  public:
    /// Throws SystemError when descriptors run out.
    explicit RunningCommand(rms::Command command);
    /// Ends the command if it still runs.
    ~RunningCommand();
    RunningCommand(const RunningCommand&) = delete;
    RunningCommand& operator=(const RunningCommand&) = delete;

    /// Waits for the end of the command, at most `within`. Returns whether it has ended.
    [[nodiscard]] bool ended(std::chrono::milliseconds within) const;
    /// Ends the command early.
    void cancel();
    /// Waits for the end, and returns the result. Call it only once.
    rms::CommandResult result() { return run_.get(); }
    [[nodiscard]] const rms::Command& command() const { return command_; }

  private:
    int cancel_;  ///< an eventfd
    rms::Command command_;
    std::future<rms::CommandResult> run_;
};

}  // namespace ductile::bench
