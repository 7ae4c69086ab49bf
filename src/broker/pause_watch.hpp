// Whether this process was stopped itself. Pure: times come in as arguments.
#pragma once

#include <chrono>

namespace ductile::broker {

/// Who was stopped has heard nobody; that says nothing about them.
class PauseWatch {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// Looks are due every `interval`.
    PauseWatch(Time now, std::chrono::milliseconds interval) : last_(now), interval_(interval) {}

    /// Whether the last look was far too long ago.
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
