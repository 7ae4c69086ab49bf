// Stops a job for a while: Ctrl-Z.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <optional>

#include "broker/agent_pool.hpp"

namespace ductile::broker {

/// Stops the ranks on all hosts and then this process, until SIGCONT. No deadline of the job runs
/// meanwhile, neither here nor on the hosts: os::JobClock is held.
class Suspension {
  public:
    Suspension(asio::io_context& io, AgentPool& agents) : timer_(io), agents_(agents) {}

    /// SIGTSTP. Does nothing if no shell could continue this process. Waits up to 3 s for agents
    /// that are being started: they could not connect to a process that is stopped.
    void begin();
    /// SIGCONT, or the job ends. Does nothing unless begin() waits.
    void call_off();
    /// Whether the ranks, and perhaps this process, were stopped in this time.
    [[nodiscard]] bool was_in_the_last(std::chrono::duration<double> time) const {
        return ended_ && std::chrono::steady_clock::now() - *ended_ < time;
    }

  private:
    void stop_when_all_know(int looks_left);
    void go_on();

    asio::steady_timer timer_;  ///< the clock of JobTimer is held
    AgentPool& agents_;
    bool waits_ = false;
    bool is_any_absent_ = false;                                  ///< at the last look
    std::optional<std::chrono::steady_clock::time_point> ended_;  ///< the last stop
};

}  // namespace ductile::broker
