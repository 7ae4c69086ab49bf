// The life of a job, its shrink and its end, through Broker.
#include <sys/resource.h>

#include <thread>

#include "broker_fixture.hpp"

namespace ductile::broker::broker_test {
namespace {

using namespace std::chrono_literals;

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST_F(BrokerTest, AJobThatFitsNowhereIsRefusedBeforeAnythingStarts) {
    make_hosts(2);
    const auto one = broker(3);
    EXPECT_THROW(one->run(), InputError);
    EXPECT_FALSE(one->has_begun());
    EXPECT_TRUE(script.log.lines().empty());
}

TEST_F(BrokerTest, AllRanksHearThatTheJobRunsAndItEndsWhenTheyDo) {
    make_hosts(3);
    const auto one = broker(2);
    const int code = run(*one, [this] {
        ASSERT_TRUE(script.log.has("h1: rank g0.1 of 2"));
        const auto now = status();
        EXPECT_EQ(now.at("ranks"), 2);
        EXPECT_FALSE(now.at("degraded"));
        EXPECT_EQ(now.at("health"), "good");
        end_job();
    });
    EXPECT_EQ(code, 143);
    for (const auto* line :
         {"h0: starts 1", "h1: starts 1", "h0: rank g0.0 of 2", "h1: rank g0.1 of 2",
          "h0: ends: ended on request", "h1: ends: ended on request"})
        EXPECT_THAT(script.log.lines(), Contains(line));
    EXPECT_THAT(script.log.lines(), Not(Contains(HasSubstr("h2"))));
}

TEST_F(BrokerTest, AShrinkIsAgreedOnAndItsHostIsFreeWhenItIsAnswered) {
    make_hosts(3);
    const auto one = broker(3);
    const int code = run(*one, [this] {
        ASSERT_TRUE(script.log.has("h0: rank g0.0 of 3"));
        const auto reply = ask(resize_to(2));
        EXPECT_EQ(reply.kind, wire::ReplyKind::done) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("3 -> 2 ranks on 2 hosts"));
        const auto now = status();
        EXPECT_EQ(now.at("ranks"), 2);
        EXPECT_FALSE(now.at("hosts")[2].at("agent"));
        EXPECT_EQ(now.at("resizes").size(), 1u);
        end_job();
    });
    EXPECT_EQ(code, 143);
    EXPECT_THAT(script.log.lines(), Contains("h2: rank g0.2 leaves"));
    EXPECT_THAT(script.log.lines(), Contains("h2: finishes"));
    EXPECT_THAT(script.log.lines(), Not(Contains("h1: finishes")));
}

TEST_F(BrokerTest, TheSameSizeIsNoResize) {
    make_hosts(2);
    const auto one = broker(2);
    run(*one, [this] {
        ASSERT_TRUE(script.log.has("h0: rank g0.0 of 2"));
        EXPECT_EQ(ask(resize_to(2)).kind, wire::ReplyKind::done);
        EXPECT_EQ(ask(wire::CancelRequest{}).kind, wire::ReplyKind::refused) << "none is pending";
        end_job();
    });
}

TEST_F(BrokerTest, AMembersHostThatIsLostEndsTheJobOnAllOthers) {
    make_hosts(2);
    const auto one = broker(2);
    const int code = run(*one, [this] {
        ASSERT_TRUE(script.log.has("h0: rank g0.0 of 2"));
        in_loop([this] { agents.at("h1")->die(); });
    });
    EXPECT_EQ(code, code_lost);
    EXPECT_THAT(script.log.lines(), Contains(HasSubstr("h0: ends: host h1 is lost")));
}

TEST_F(BrokerTest, TheProgramsCodeIsTheJobs) {
    make_hosts(2);
    const auto one = broker(2);
    const int code = run(*one, [this] {
        ASSERT_TRUE(script.log.has("h1: rank g0.1 of 2"));
        in_loop([this] { agents.at("h0")->end_program(0); });
        std::string state;
        for (int i = 0; i < 1000 && state != "finishing"; ++i) state = status().at("state");
        EXPECT_EQ(state, "finishing");
        in_loop([this] { agents.at("h1")->end_program(7); });
    });
    EXPECT_EQ(code, 7);
    EXPECT_THAT(script.log.lines(), Contains("h0: finishes"));
    EXPECT_THAT(script.log.lines(), Contains("h1: finishes"));
}

TEST_F(BrokerTest, AnAgentThatEndsBeforeItConnectsEndsTheStart) {
    make_hosts(1).agents_connect = false;
    const auto one = broker(1);
    EXPECT_EQ(one->run(), code_lost);
}

// ---- a broker that has nothing to do ----

/// How often the broker's thread has gone to sleep, and since when.
struct Sleeps {
    long count = 0;
    std::chrono::steady_clock::time_point time;
};

struct BrokerIdleTest : BrokerTest {
    void SetUp() override { spec.launch.heartbeat_s = spec.launch.heartbeat_limit_s = 60; }
    [[nodiscard]] Sleeps sleeps() const {
        Sleeps now;
        in_loop([&now] {
            rusage usage{};
            EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
            now = {usage.ru_nvcsw, std::chrono::steady_clock::now()};
        });
        return now;
    }
    /// The broker checks twice a second whether its directory is still there. A check every 20 ms
    /// would wake its thread 50 times a second. On a busy machine the measured time is longer, but
    /// the number of sleeps is not larger.
    void expect_sleep(const char* when) const {
        static_cast<void>(status());  // what came before has been heard
        const auto before = sleeps();
        std::this_thread::sleep_for(1s);
        const auto after = sleeps();
        const std::chrono::duration<double> time = after.time - before.time;
        EXPECT_LT(static_cast<double>(after.count - before.count), 15 * time.count()) << when;
    }
};

TEST_F(BrokerIdleTest, ItSleepsUntilSomethingHappens) {
    make_hosts(3);
    const auto one = broker(3);
    run(*one, [this] {
        ASSERT_TRUE(script.log.has("h2: rank g0.2 of 3"));
        expect_sleep("while the job runs");
        hold("is asked");
        auto shrink = ask_beside(resize_to(2));
        ASSERT_TRUE(script.log.has("h2: rank g0.2 is asked"));
        expect_sleep("while ranks do not answer");
        go_on_until({"switches"});
        ASSERT_TRUE(script.log.has("h2: rank g0.2 switches"));
        expect_sleep("while the program is on its way to the point");
        go_on_until({"finishes"});
        ASSERT_TRUE(script.log.has("h2: finishes"));
        expect_sleep("while an agent does not end");
        go_on();
        EXPECT_EQ(shrink.get().kind, wire::ReplyKind::done);
        end_job();
    });
}

}  // namespace
}  // namespace ductile::broker::broker_test
