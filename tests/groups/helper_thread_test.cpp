#include "groups/helper_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "../patience.hpp"

namespace ductile::groups::helper_thread_test {
namespace {

using namespace std::chrono_literals;

TEST(HelperPause, is_short_after_something_and_doubles_after_nothing) {
    HelperPause pause;
    EXPECT_EQ(pause.after({true, false}), 20us);
    EXPECT_EQ(pause.after({false, false}), 40us);
    EXPECT_EQ(pause.after({false, false}), 80us);
    EXPECT_EQ(pause.after({true, true}), 20us);
    pause.after({false, false});
    pause.woken();
    EXPECT_EQ(pause.after({false, false}), 40us);
}

TEST(HelperPause, is_limited_the_more_when_something_is_expected) {
    HelperPause pause;
    for (int i = 0; i < 20; ++i) pause.after({false, false});
    EXPECT_EQ(pause.after({false, false}), 5ms);
    EXPECT_EQ(pause.after({false, true}), 1ms);
    EXPECT_EQ(pause.after({false, true}), 1ms);
}

/// Counts looks. reach() waits up to 10 s until there have been `number` of them.
struct Looks {
    std::atomic<int> count{0};
    bool reach(int number) const {
        const auto until = std::chrono::steady_clock::now() + test::patient(10s);
        while (count < number && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(50us);
        return count >= number;
    }
};

TEST(HelperThread, looks_again_and_again_until_it_is_stopped) {
    Looks looks;
    HelperThread helper;
    helper.start([&] {
        ++looks.count;
        return Looked{};
    });
    EXPECT_TRUE(looks.reach(3));
    helper.wake();
    EXPECT_TRUE(looks.reach(4));
    helper.stop();
    const int seen = looks.count;
    helper.wake();
    helper.stop();
    std::this_thread::sleep_for(10ms);
    EXPECT_EQ(looks.count, seen);
}

// A wake() during a look is not lost.
TEST(HelperThread, looks_at_once_when_it_was_woken_during_a_look) {
    std::promise<void> in_look, may_go_on;
    Looks looks;
    HelperThread helper;
    helper.start([&] {
        if (++looks.count == 1) {
            in_look.set_value();
            may_go_on.get_future().wait();
        }
        return Looked{};
    });
    in_look.get_future().wait();
    helper.wake();
    may_go_on.set_value();
    EXPECT_TRUE(looks.reach(2));
}

TEST(HelperThread, ends_by_itself_after_a_look_that_gives_nothing) {
    Looks looks;
    HelperThread helper;
    helper.start([&]() -> std::optional<Looked> {
        if (++looks.count == 2) return std::nullopt;
        return Looked{};
    });
    EXPECT_TRUE(looks.reach(2));
    std::this_thread::sleep_for(10ms);
    EXPECT_EQ(looks.count, 2);
}

TEST(HelperThread, that_was_never_started_may_be_woken_and_stopped) {
    HelperThread helper;
    helper.wake();
    helper.stop();
}

}  // namespace
}  // namespace ductile::groups::helper_thread_test
