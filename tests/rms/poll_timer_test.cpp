// When to look at something that sends no events.
#include "rms/poll_timer.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "event_loop.hpp"

namespace ductile::rms::poll_timer_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Next = PollTimer::Next;

struct PollTimerTest : testing::Test {
    /// Waits for the next look.
    bool looks() {
        const int before = count;
        return run_until(io, [&] { return count > before; });
    }
    /// Whether no look follows: the timer waits for nothing.
    bool rests() {
        io.restart();
        const int before = count;
        io.run_for(20s);
        return io.stopped() && count == before;
    }

    asio::io_context io;
    int count = 0;
    PollTimer timer{io, [this] { ++count; }};
};

TEST_F(PollTimerTest, LooksAfterAChangeOnly) {
    EXPECT_TRUE(rests());
    const auto begin = Clock::now();
    timer.changed();
    EXPECT_TRUE(looks());
    EXPECT_GE(Clock::now() - begin, 30ms);
    timer.looked(Next::never);
    EXPECT_TRUE(rests());
}

TEST_F(PollTimerTest, TakesLongerPausesWhereNothingChanges) {
    timer.changed();
    ASSERT_TRUE(looks());
    for (const auto pause : {60ms, 120ms, 240ms}) {
        const auto begin = Clock::now();
        timer.looked(Next::soon);
        ASSERT_TRUE(looks());
        EXPECT_GE(Clock::now() - begin, pause);
    }
}

TEST_F(PollTimerTest, LooksOnceAtATimeAndAgainIfItHasChangedMeanwhile) {
    timer.changed();
    ASSERT_TRUE(looks());
    timer.changed();
    EXPECT_TRUE(rests()) << "the look has not ended";
    timer.looked(Next::never);
    EXPECT_TRUE(looks());
    timer.looked(Next::never);
    EXPECT_TRUE(rests());
}

TEST_F(PollTimerTest, LooksAgainAsLongAsAChangeMayCome) {
    timer.changed(1h);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(looks());
        timer.looked(Next::never);
    }
    timer.changed();  // this change does not shorten the hour
    ASSERT_TRUE(looks());
    timer.looked(Next::never);
    EXPECT_TRUE(looks());
}

TEST_F(PollTimerTest, ALongPauseEndsWithAChange) {
    timer.changed();
    ASSERT_TRUE(looks());
    timer.looked(Next::sometime);
    io.restart();
    io.run_for(100ms);
    EXPECT_EQ(count, 1);
    const auto begin = Clock::now();
    timer.changed();
    EXPECT_TRUE(looks());
    EXPECT_LT(Clock::now() - begin, 10s);
}

// Both waits have expired when the loop calls the handler of the first. It reports a change.
TEST_F(PollTimerTest, AWaitThatHasEndedCountsNoMoreAfterAChange) {
    Clock::time_point changed_at;
    asio::steady_timer first(io, 1ms);
    first.async_wait([&](const asio::error_code&) {
        timer.changed();
        changed_at = Clock::now();
    });
    timer.changed();
    std::this_thread::sleep_for(50ms);
    ASSERT_TRUE(looks());
    EXPECT_GE(Clock::now() - changed_at, 29ms);
    timer.looked(Next::never);
    EXPECT_TRUE(rests());
}

}  // namespace
}  // namespace ductile::rms::poll_timer_test
