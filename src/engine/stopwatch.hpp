// How long a phase of a switch takes, on the steady clock. The time of a stop (Ctrl-Z) counts:
// a clock that leaves stops out must be looked at all the time, and only the link to the agent of
// rank 0 does so.
#pragma once

#include <chrono>

namespace ductile::engine {

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - begin_).count();
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace ductile::engine
