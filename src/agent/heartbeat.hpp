// How often each side of a connection sends a heartbeat, and how long the other side may be silent.
#pragma once

#include <chrono>

#include "os/job_clock.hpp"

namespace ductile::agent {

using Time = os::JobClock::time_point;

struct Heartbeat {
    std::chrono::duration<double> every{1};
    std::chrono::duration<double> limit{5};
};

}  // namespace ductile::agent
