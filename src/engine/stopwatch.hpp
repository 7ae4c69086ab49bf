// How long a phase of a switch takes, without the time for which Ctrl-Z has stopped the job. The
// link to the agent looks at this clock every half second in rank 0, whose times count.
#pragma once

#include <chrono>

#include "os/job_clock.hpp"

namespace ductile::engine {

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - begin_).count();
    }

  private:
    using Clock = os::AwakeClock;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace ductile::engine
