#include "broker/open_resize.hpp"

#include <gtest/gtest.h>

#include "../resize/resize_fixture.hpp"

namespace ductile::broker::open_resize_test {
namespace {

using namespace std::chrono_literals;
using resize::Timer;

struct OpenResizeTest : testing::Test {
    asio::io_context io;
    std::vector<Timer> fired;
    std::function<void(Timer)> then = [](Timer) {};
    std::optional<OpenResize> open{std::in_place, io, resize::ResizeOperation(resize::shrink()),
                                   [this](Timer timer) {
                                       fired.push_back(timer);
                                       then(timer);
                                   }};
};

TEST_F(OpenResizeTest, ATimerFiresOnce) {
    open->arm({Timer::phase, 0ms});
    io.run();
    EXPECT_EQ(fired, std::vector{Timer::phase});
}

TEST_F(OpenResizeTest, OneThatIsArmedAgainFiresOnce) {
    open->arm({Timer::phase, 1h});
    open->arm({Timer::phase, 0ms});
    io.run();
    EXPECT_EQ(fired, std::vector{Timer::phase});
}

// Both timers have expired when the handler of the first one runs.
TEST_F(OpenResizeTest, OneThatIsDisarmedSaysNothingAlthoughItHasExpired) {
    open->arm({Timer::phase, 0ms});
    open->arm({Timer::accept, 0ms});
    then = [this](Timer timer) {
        open->disarm(timer == Timer::phase ? Timer::accept : Timer::phase);
    };
    io.run();
    EXPECT_EQ(fired.size(), 1u);
}

TEST_F(OpenResizeTest, TheEndOfTheResizeEndsItsTimers) {
    open->arm({Timer::phase, 0ms});
    open->arm({Timer::accept, 0ms});
    then = [this](Timer) { open.reset(); };
    io.run();
    EXPECT_EQ(fired.size(), 1u);
}

TEST_F(OpenResizeTest, AllWhoWaitAreAnsweredOnce) {
    for (int i = 0; i < 3; ++i) open->add_askers({AskingRank{{}, i}});
    const auto askers = open->take_askers();
    ASSERT_EQ(askers.size(), 3u);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(std::get<AskingRank>(askers[static_cast<std::size_t>(i)]).number, i);
    EXPECT_TRUE(open->take_askers().empty());
}

}  // namespace
}  // namespace ductile::broker::open_resize_test
