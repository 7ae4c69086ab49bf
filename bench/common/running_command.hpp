// A command that runs while something else is done with it.
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

    /// Whether the command has ended, after waiting for that at most `within`.
    [[nodiscard]] bool ended(std::chrono::milliseconds within) const;
    /// Ends the command early.
    void cancel();
    /// Waits for the end. To be called once.
    rms::CommandResult result() { return run_.get(); }
    [[nodiscard]] const rms::Command& command() const { return command_; }

  private:
    int cancel_;  ///< an eventfd
    rms::Command command_;
    std::future<rms::CommandResult> run_;
};

}  // namespace ductile::bench
