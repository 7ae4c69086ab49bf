// How long a helper may do nothing.
#pragma once

#include <chrono>
#include <cstdint>

namespace ductile::engine {

/// Each step puts the deadline off. Steps and time are told by who asks.
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
    /// How often to ask.
    [[nodiscard]] std::chrono::duration<double> between_looks() const { return patience_ / 8; }

  private:
    const std::chrono::duration<double> patience_;
    std::uint64_t steps_;
    Clock::time_point since_;
};

}  // namespace ductile::engine
