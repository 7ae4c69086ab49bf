// Child processes of the broker that nobody waits for any more: processes that started agents which
// are now gone, lost or dropped, and sweeps of hosts.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "os/job_clock.hpp"
#include "rms/agent_process.hpp"

namespace ductile::broker {

class LeftProcesses {
  public:
    using Clock = os::JobClock;

    LeftProcesses() = default;
    /// Waits at most 2 s for all of the processes, and kills those that still run.
    ~LeftProcesses();
    LeftProcesses(const LeftProcesses&) = delete;
    LeftProcesses& operator=(const LeftProcesses&) = delete;

    /// Adds a process. If it still runs at `until`, the next check() kills it.
    void add(std::unique_ptr<rms::AgentProcess> process,
             std::optional<Clock::time_point> until = std::nullopt);
    /// Kills the processes whose time is over, and forgets those that have ended.
    void check(Clock::time_point now);

  private:
    struct Left {
        std::unique_ptr<rms::AgentProcess> process;
        std::optional<Clock::time_point> until;
    };
    std::vector<Left> left_;
};

}  // namespace ductile::broker
