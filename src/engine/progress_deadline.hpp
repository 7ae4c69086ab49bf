// How long a helper may run without a step.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "os/job_clock.hpp"

namespace ductile::engine {

/// Each step postpones the deadline. The caller passes steps and time.
class ProgressDeadline {
  public:
    using Clock = os::AwakeClock;

    ProgressDeadline(std::chrono::duration<double> patience, std::uint64_t steps,
                     Clock::time_point now)
        : patience_(patience), steps_(steps), since_(now) {}

    bool has_passed(std::uint64_t steps, Clock::time_point now) {
        if (steps == steps_) return now - since_ >= patience_;
        steps_ = steps;
        since_ = now;
        return false;
    }
    /// The time between two calls of has_passed().
    [[nodiscard]] std::chrono::duration<double> between_looks() const {
        return std::min<std::chrono::duration<double>>(patience_ / 8, Clock::between_looks);
    }

  private:
    const std::chrono::duration<double> patience_;
    std::uint64_t steps_;
    Clock::time_point since_;
};

}  // namespace ductile::engine
