// Hosts that the resource manager takes back from a job, through Broker.
#include "broker_fixture.hpp"

namespace ductile::broker::broker_revoked_test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using wire::ReplyKind;

/// A job whose hosts can all be given back.
struct BrokerRevokedTest : BrokerTest {
    std::unique_ptr<Broker> job_of(int ranks) {
        make_hosts(ranks).come_and_go = true;
        return broker(ranks);
    }
    [[nodiscard]] bool is_running(int ranks) const {
        return script.log.has("h0: rank g0.0 of " + std::to_string(ranks));
    }
    void revoke(const std::string& host, std::chrono::milliseconds within) const {
        in_loop([&] { running_on->answer(rms::Revoked{host, within}); });
    }
    void grant(int request, const std::vector<core::Host>& granted) const {
        in_loop([&] { running_on->answer(rms::Granted{rms::RequestId{request}, granted, true}); });
    }
    [[nodiscard]] std::ptrdiff_t position_of(const std::string& line) const {
        const auto lines = script.log.lines();
        return std::ranges::find(lines, line) - lines.begin();
    }
};

TEST_F(BrokerRevokedTest, OneThatIsLeftInTimeIsShrunkOffAtTheNextPoint) {
    const auto one = job_of(3);
    const int code = run(*one, [this] {
        ASSERT_TRUE(is_running(3));
        revoke("h1", 60s);
        ASSERT_TRUE(script.log.has("release h1"));
        EXPECT_EQ(status().at("ranks"), 2);
        EXPECT_THAT(script.log.lines(), Not(Contains("release h0")));
        EXPECT_THAT(script.log.lines(), Not(Contains("release h2")));
        end_job();
    });
    EXPECT_EQ(code, 143) << "it has run on";
    EXPECT_THAT(script.log.lines(), Contains("h1: rank g0.1 leaves"));
    EXPECT_LT(position_of("h1: finishes"), position_of("release h1"));
}

// No rank reaches a resize point before the deadline.
TEST_F(BrokerRevokedTest, OneThatIsNotLeftInTimeCountsAsLost) {
    script.held = {"is asked"};
    const auto one = job_of(3);
    const int code = run(*one, [this] {
        ASSERT_TRUE(is_running(3));
        revoke("h1", 100ms);
    });
    EXPECT_EQ(code, code_lost);
    EXPECT_THAT(script.log.lines(), Contains("h0: ends: host h1 is lost: the resource manager has "
                                             "taken it back; the job is ended"));
    EXPECT_THAT(script.log.lines(), Contains("h2: has ended"));
}

TEST_F(BrokerRevokedTest, AGrowthThatStartsOnItIsUndoneAndGoesOnWithTheOtherHosts) {
    const auto one = job_of(2);
    run(*one, [this] {
        ASSERT_TRUE(is_running(2));
        hold("is ready");
        auto growth = ask_beside(resize_to(4));
        ASSERT_TRUE(script.log.has("request 1: 2"));
        grant(1, {{"h2", 1}, {"h3", 1}});
        ASSERT_TRUE(script.log.has("h2: rank g1.0 is ready"));
        ASSERT_TRUE(script.log.has("h3: starts 1"));
        revoke("h3", 60s);
        EXPECT_TRUE(script.log.has("h2: kills g1"));
        EXPECT_TRUE(script.log.has("release h3"));
        ASSERT_TRUE(script.log.has("request 2: 1")) << "another one in its place";
        EXPECT_EQ(status().at("ranks"), 2);
        EXPECT_THAT(script.log.lines(), Not(Contains("h2: finishes")));
        EXPECT_THAT(script.log.lines(), Not(Contains("release h2")));
        go_on();
        grant(2, {{"h4", 1}});
        const auto reply = growth.get();
        EXPECT_EQ(reply.kind, ReplyKind::done) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("2 -> 4 ranks on 4 hosts"));
        EXPECT_THAT(script.log.lines(), Not(Contains("h2: finishes")));
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h2: rank g2.0 of 4"));
    EXPECT_THAT(script.log.lines(), Contains("h4: rank g2.1 of 4"));
}

TEST_F(BrokerRevokedTest, ASwitchThatNeedsItIsFinishedFirst) {
    const auto one = job_of(2);
    run(*one, [this] {
        ASSERT_TRUE(is_running(2));
        hold("votes");
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("request 1: 1"));
        grant(1, {{"h2", 1}});
        await_phase("switching");
        revoke("h2", 60s);
        await_phase("switching");
        go_on();
        const auto reply = growth.get();
        EXPECT_EQ(reply.kind, ReplyKind::done) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("2 -> 3 ranks on 3 hosts"));
        ASSERT_TRUE(script.log.has("release h2"));
        EXPECT_EQ(status().at("ranks"), 2);
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h2: rank g1.0 of 3"));
    EXPECT_THAT(script.log.lines(), Contains("h2: rank g1.0 leaves"));
    EXPECT_LT(position_of("h2: rank g1.0 of 3"), position_of("h2: rank g1.0 leaves"));
    EXPECT_THAT(script.log.lines(), Not(Contains("h2: kills g1")));
}

TEST_F(BrokerRevokedTest, ItIsLeftBeforeAnotherShrinkFollows) {
    const auto one = job_of(4);
    run(*one, [this] {
        ASSERT_TRUE(is_running(4));
        hold("is asked");
        auto shrink = ask_beside(resize_to(2));
        ASSERT_TRUE(script.log.has("h0: rank g0.0 is asked"));
        revoke("h1", 60s);
        ASSERT_TRUE(script.log.has("h0: rank g0.0 is asked", 2)) << "to leave it";
        go_on();
        const auto reply = shrink.get();
        EXPECT_EQ(reply.kind, ReplyKind::done) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("3 -> 2 ranks"));
        EXPECT_TRUE(script.log.has("release h1"));
        EXPECT_TRUE(script.log.has("release h3"));
        end_job();
    });
    EXPECT_LT(position_of("h1: rank g0.1 leaves"), position_of("h3: rank g0.3 leaves"));
}

TEST_F(BrokerRevokedTest, TheJobGrowsWhereItCannotLeaveOneOtherwise) {
    spec.limits.min = {2, Origin::command_line};
    const auto one = job_of(2);
    run(*one, [this] {
        ASSERT_TRUE(is_running(2));
        revoke("h1", 60s);
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("request 1: 1"));
        grant(1, {{"h2", 1}});
        EXPECT_EQ(growth.get().kind, ReplyKind::done);
        ASSERT_TRUE(script.log.has("release h1"));
        EXPECT_EQ(status().at("ranks"), 2);
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h2: rank g1.0 of 3"));
    EXPECT_THAT(script.log.lines(), Not(Contains("h2: kills g1")));
}

// Only the message that ends the job says that the job could not leave the host.
TEST_F(BrokerRevokedTest, WithoutOneThatTheLimitsNeedTheJobEndsWithOneLine) {
    spec.limits.min = {2, Origin::command_line};
    const auto one = job_of(2);
    testing::internal::CaptureStderr();
    const int code = run(*one, [this] {
        ASSERT_TRUE(is_running(2));
        revoke("h1", 100ms);
    });
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "ductile: host h1 is lost: the resource manager has taken it back, and the job could "
              "not leave it: without h1 the job would have 1 rank, and a size of 1 is below min 2 "
              "(command line); the job is ended\n");
    EXPECT_EQ(code, code_lost);
    EXPECT_THAT(script.log.lines(), Not(Contains("h0: rank g0.0 is asked")));
}

}  // namespace
}  // namespace ductile::broker::broker_revoked_test
