#include "os/job_clock.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ductile::os::job_clock_test {
namespace {

using namespace std::chrono_literals;

TEST(JobClock, StandsStillWhileItIsHeld) {
    const auto began = std::chrono::steady_clock::now();
    const auto before = JobClock::now();
    JobClock::hold();
    const auto held = JobClock::now();
    std::this_thread::sleep_for(30ms);
    EXPECT_EQ(JobClock::now(), held);
    JobClock::hold();
    EXPECT_EQ(JobClock::now(), held) << "a second hold changes nothing";
    EXPECT_TRUE(JobClock::is_held());
    JobClock::release();
    EXPECT_FALSE(JobClock::is_held());
    const auto after = JobClock::now();
    EXPECT_GE(after, held);
    const auto took = std::chrono::steady_clock::now() - began;
    EXPECT_LE(after - before, took - 30ms + 1us);
    JobClock::release();
    std::this_thread::sleep_for(5ms);
    EXPECT_GE(JobClock::now() - after, 5ms);
}

TEST(AwakeClock, LeavesOutTheTimeInWhichNobodyLooked) {
    AwakeTime face;
    const auto at = [&face](std::chrono::nanoseconds steady) {
        return std::chrono::nanoseconds(face.at(steady.count()));
    };
    EXPECT_EQ(at(1h), 1h) << "the first look";
    EXPECT_EQ(at(1h + 500ms), 1h + 500ms);
    EXPECT_EQ(at(1h + 2500ms), 1h + 2500ms) << "a slow machine";
    EXPECT_EQ(at(2h), 1h + 2500ms) << "it was stopped";
    EXPECT_EQ(at(2h + 1s), 1h + 3500ms);
    EXPECT_EQ(at(2h), 1h + 2500ms) << "another thread has read the time before, and is late";
    EXPECT_EQ(at(2h + 2s), 1h + 4500ms);
}

TEST(AwakeClock, WaitsUntilItIsDoneOrOver) {
    std::mutex mutex;
    std::condition_variable changed;
    std::unique_lock lock(mutex);
    EXPECT_TRUE(AwakeClock::wait_for(changed, lock, 1h, [] { return true; }));
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(AwakeClock::wait_for(changed, lock, 20ms, [] { return false; }));
    EXPECT_GE(std::chrono::steady_clock::now() - began, 20ms);
}

}  // namespace
}  // namespace ductile::os::job_clock_test
