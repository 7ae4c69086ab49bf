// What the broker's loop calls, how often and in which order.
#include "broker/broker_loop.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <string>
#include <vector>

#include "os/signals.hpp"

namespace ductile::broker::broker_loop_test {
namespace {

using namespace std::chrono_literals;
using Timer = BrokerLoop::Timer;

/// Who runs the tests may ignore these signals.
struct NoIgnoredSignals {
    NoIgnoredSignals() {
        for (const int number : os::end_signals) ::signal(number, SIG_DFL);
        for (const int number : os::program_signals()) ::signal(number, SIG_DFL);
        ::signal(SIGTSTP, SIG_DFL);
    }
};

struct Loop : testing::Test {
    NoIgnoredSignals before;
    std::vector<std::string> log;
    BrokerLoop loop{[this] { log.push_back("settle"); }};

    std::vector<std::string> run() {
        loop.arm(Timer::end, 500ms, [this] { loop.stop(); });  // fires after all others
        loop.run([this](const std::string& why) { log.push_back("error " + why); });
        return log;
    }
};

using Words = std::vector<std::string>;

TEST_F(Loop, SettlesOnceForAllThatHappensInATurn) {
    asio::post(loop.io(), [this] {
        loop.changed();
        loop.changed();
        log.push_back("done");
        loop.changed();
    });
    EXPECT_EQ(run(), (Words{"done", "settle"}));
}

TEST_F(Loop, SettlesAfterWhatIsHeard) {
    const auto hear = loop.heard([this](int number, const std::string& word) {
        log.push_back(std::to_string(number) + " " + word);
    });
    asio::post(loop.io(), [&] {
        hear(1, "up");
        hear(2, "down");
    });
    EXPECT_EQ(run(), (Words{"1 up", "2 down", "settle"}));
}

TEST_F(Loop, SettlesAfterATimer) {
    loop.arm(Timer::watch, 1ms, [this] { log.push_back("watch"); });
    EXPECT_EQ(run(), (Words{"watch", "settle"}));
}

TEST_F(Loop, ATimerIsArmedInPlaceOfTheOneBefore) {
    loop.arm(Timer::watch, 1ms, [this] { log.push_back("first"); });
    loop.arm(Timer::watch, 2ms, [this] { log.push_back("second"); });
    loop.arm(Timer::recovery, 1ms, [this] { log.push_back("never"); });
    loop.disarm(Timer::recovery);
    EXPECT_EQ(run(), (Words{"second", "settle"}));
}

TEST_F(Loop, ATimerIsArmedForATimeAndDisarmedWithoutOne) {
    const auto now = os::JobClock::now();
    loop.arm_until(Timer::spawns, now - 1s, [this] { log.push_back("overdue"); });
    loop.arm_until(Timer::renewal, now + 5ms, [this, now] {
        log.push_back(os::JobClock::now() >= now + 5ms ? "later" : "early");
    });
    loop.arm(Timer::recovery, 1ms, [this] { log.push_back("never"); });
    loop.arm_until(Timer::recovery, std::nullopt, [] {});
    EXPECT_EQ(run(), (Words{"overdue", "settle", "later", "settle"}));
}

TEST_F(Loop, TimersWaitWhileTheJobIsStopped) {
    os::JobClock::hold();
    loop.arm(Timer::watch, 1ms, [this] { log.push_back("watch"); });
    asio::steady_timer until(loop.io(), 30ms);
    until.async_wait([this](const std::error_code&) {
        log.push_back("continue");
        os::JobClock::release();
    });
    EXPECT_EQ(run(), (Words{"continue", "watch", "settle"}));
}

TEST_F(Loop, ATimerMayArmItself) {
    loop.arm(Timer::watch, 1ms, [this] {
        log.push_back("first");
        loop.arm(Timer::watch, 1ms, [this] { log.push_back("second"); });
    });
    EXPECT_EQ(run(), (Words{"first", "settle", "second", "settle"}));
}

TEST_F(Loop, HearsSignalsThatCameBeforeItListened) {
    ::raise(SIGTERM);
    loop.hear_signals(
        [this](int number, bool again) {
            log.push_back(std::to_string(number) + (again ? " again" : ""));
            if (!again) ::raise(SIGHUP);
        },
        [](int) {}, [](int) {});
    EXPECT_EQ(run(), (Words{std::to_string(SIGTERM), std::to_string(SIGHUP) + " again"}));
}

TEST_F(Loop, SignalsForTheProgramEndNothing) {
    for (const int number : {SIGUSR1, SIGRTMAX, SIGTERM, SIGTSTP}) ::raise(number);
    loop.hear_signals(
        [this](int number, bool again) {
            log.push_back("end by " + std::to_string(number) + (again ? " again" : ""));
        },
        [this](int number) { log.push_back("pass on " + std::to_string(number)); },
        [this](int number) { log.push_back("stop by " + std::to_string(number)); });
    // Those that came together are heard in the order of their numbers.
    EXPECT_EQ(run(),
              (Words{"pass on " + std::to_string(SIGUSR1), "end by " + std::to_string(SIGTERM),
                     "stop by " + std::to_string(SIGTSTP), "pass on " + std::to_string(SIGRTMAX)}));
}

TEST_F(Loop, AnIgnoredSignalStaysIgnored) {
    ::signal(SIGHUP, SIG_IGN);
    {
        BrokerLoop other([] {});
        ::raise(SIGHUP);
    }
    struct sigaction present {};
    ::sigaction(SIGHUP, nullptr, &present);
    EXPECT_EQ(present.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace ductile::broker::broker_loop_test
