// Processes of the broker's that nobody waits for any more: of agents that have gone or were
// dropped, and sweeps of hosts.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "rms/agent_process.hpp"

namespace ductile::broker {

class LeftProcesses {
  public:
    using Clock = std::chrono::steady_clock;

    LeftProcesses() = default;
    /// Waits for them, 2 s at most in all, and ends those that run on.
    ~LeftProcesses();
    LeftProcesses(const LeftProcesses&) = delete;
    LeftProcesses& operator=(const LeftProcesses&) = delete;

    /// Ended at `until`, else with this object.
    void add(std::unique_ptr<rms::AgentProcess> process,
             std::optional<Clock::time_point> until = std::nullopt);
    /// Ends those whose time has come, and forgets those that have ended.
    void check(Clock::time_point now);

  private:
    struct Left {
        std::unique_ptr<rms::AgentProcess> process;
        std::optional<Clock::time_point> until;
    };
    std::vector<Left> left_;
};

}  // namespace ductile::broker
