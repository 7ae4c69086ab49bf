// Detects that this process was stopped. Pure: times come in as arguments.
#pragma once

#include <chrono>

#include "os/job_clock.hpp"

namespace ductile::broker {

/// A process that was stopped received no messages meanwhile. So the silence of its peers does not
/// mean that they have failed.
class PauseWatch {
  public:
    using Time = os::JobClock::time_point;

    /// The owner calls look() every `interval`.
    PauseWatch(Time now, std::chrono::milliseconds interval) : last_(now), interval_(interval) {}

    /// Whether the last call was so long ago that this process must have been stopped.
    [[nodiscard]] bool look(Time now) {
        const bool late = now - last_ > 2 * interval_ + std::chrono::seconds(1);
        last_ = now;
        return late;
    }

  private:
    Time last_;
    std::chrono::milliseconds interval_;
};

}  // namespace ductile::broker
