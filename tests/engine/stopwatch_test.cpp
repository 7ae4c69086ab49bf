#include "engine/stopwatch.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "os/job_clock.hpp"

namespace ductile::engine::stopwatch_test {
namespace {

// A rank other than rank 0 looks at no AwakeClock while it waits in a call of MPI.
TEST(Stopwatch, counts_a_long_wait_during_which_nobody_looks_at_a_clock) {
    os::AwakeClock::now();
    const Stopwatch watch;
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    EXPECT_GE(watch.seconds(), 2.1);
}

}  // namespace
}  // namespace ductile::engine::stopwatch_test
