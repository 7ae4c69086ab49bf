// How long a helper may run without a step.
#pragma once

#include <chrono>
#include <cstdint>

namespace ductile::engine {

/// Each step postpones the deadline. The caller passes steps and time.
class ProgressDeadline {
  public:
    using Clock = std::chrono::steady_clock;

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
    [[nodiscard]] std::chrono::duration<double> between_looks() const { return patience_ / 8; }

  private:
    const std::chrono::duration<double> patience_;
    std::uint64_t steps_;
    Clock::time_point since_;
};

}  // namespace ductile::engine
