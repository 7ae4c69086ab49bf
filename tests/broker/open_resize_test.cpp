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

// Both have expired when the first one's handler runs.
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
    int answers = 0;
    for (int i = 0; i < 3; ++i)
        open->answer_to([&answers](wire::ReplyKind, const std::string&) { ++answers; });
    open->take_reply()(wire::ReplyKind::done, "");
    EXPECT_EQ(answers, 3);
    EXPECT_FALSE(open->take_reply());
}

}  // namespace
}  // namespace ductile::broker::open_resize_test
