// How long tests wait for an event before they give up, on machines that stall.
#pragma once

#include <chrono>
#include <cstdlib>

namespace ductile::test {

/// `wait`, times DUCTILE_TEST_PATIENCE (1 where that is not set; .ci/run sets 4). For how long a
/// test waits for what should happen at once, and for upper bounds of what it has measured. Not for
/// sleeps, limits that it gives to the product, and lower bounds.
template <class Rep, class Period>
std::chrono::duration<Rep, Period> patient(std::chrono::duration<Rep, Period> wait) {
    const char* factor = std::getenv("DUCTILE_TEST_PATIENCE");
    return wait * (factor == nullptr || *factor == '\0' ? 1 : std::atoi(factor));
}

}  // namespace ductile::test
