// How often one side of a connection says that it lives, and for how long the other may be silent.
#pragma once

#include <chrono>

namespace ductile::agent {

using Time = std::chrono::steady_clock::time_point;

struct Heartbeat {
    std::chrono::duration<double> every{1};
    std::chrono::duration<double> limit{5};
};

}  // namespace ductile::agent
