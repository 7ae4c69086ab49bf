// A job that another broker takes over while it grows.
#include "broker_fixture.hpp"

namespace ductile::broker::broker_takeover_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct BrokerTakeoverTest : BrokerTest {
    /// A job of two ranks grows. Its broker dies when `held` is in the log for both ranks.
    void lose_broker_when(const std::string& held) {
        make_hosts(3);
        lose_broker(held, {"h0: rank g0.0 " + held, "h1: rank g0.1 " + held},
                    [this] { ASSERT_TRUE(script.log.has("h0: rank g0.0 of 2")); });
        make_hosts(3).remains = std::move(remains);
    }
    /// A job of one active and one parked rank, on one of two hosts, grows to three ranks. This
    /// takes two steps: the parked rank comes back, then a new rank starts. The broker dies in the
    /// first step.
    void lose_broker_in_first_step_when(const std::string& held) {
        make_hosts(2, 2);
        lose_broker(held, {"h0: rank g0.0 " + held}, [this] {
            ASSERT_TRUE(script.log.has("h0: rank g0.0 of 2"));
            auto shrink = resize_to(1);
            shrink.shrink = wire::ShrinkWish::park;
            EXPECT_EQ(ask(shrink).kind, wire::ReplyKind::done);
            EXPECT_EQ(status().at("parked"), 1);
            script.log.clear();
        });
        make_hosts(2, 2).remains = std::move(remains);
    }
    /// Starts a job of two ranks, calls `at_first`, and lets the job grow. The broker dies when all
    /// `lines` are in the log.
    void lose_broker(const std::string& held, const std::vector<std::string>& lines,
                     const std::function<void()>& at_first) {
        const auto first = broker(2);
        run(*first, [&] {
            at_first();
            hold(held);
            auto growth = ask_beside(resize_to(3));
            for (const auto& line : lines) ASSERT_TRUE(script.log.has(line)) << line;
            // Saves what would remain if the broker were killed now.
            in_loop([&] {
                for (const auto& [host, agent] : agents) remains.push_back(agent->remains());
                for (const auto* part : {"", "-wal"})
                    std::filesystem::copy_file(journal_path() + part,
                                               journal_path() + "-left" + part);
            });
            end_job();
            EXPECT_EQ(growth.get().kind, wire::ReplyKind::failed);
        });
        script.log.clear();
        script.held.clear();
    }
    std::unique_ptr<Broker> next_broker() {
        return broker(2, Journal::reopen(journal_path() + "-left"));
    }

    std::vector<FakeAgent::Remains> remains;
};

TEST_F(BrokerTakeoverTest, AGrowthThatNobodyHasAgreedToIsUndone) {
    lose_broker_when("is asked");
    const auto next = next_broker();
    run(*next, [this] {
        const auto reply = ask(wire::AwaitRequest{core::TransactionId{1}});
        EXPECT_EQ(reply.kind, wire::ReplyKind::rolled_back);
        EXPECT_THAT(reply.text, HasSubstr("its broker died"));
        EXPECT_EQ(status().at("ranks"), 2);
        EXPECT_TRUE(script.log.has("h2: finishes"));
        EXPECT_EQ(ask(resize_to(3)).kind, wire::ReplyKind::done) << "the job runs on";
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h2: kills g1"));
    EXPECT_THAT(script.log.lines(), Contains("h2: rank g2.0 of 3"));
}

// After the ranks had lost their broker, they voted among themselves.
TEST_F(BrokerTakeoverTest, AGrowthThatTheRanksHaveAgreedToIsCommitted) {
    lose_broker_when("switches");
    script.committed = core::TransactionId{1};
    const auto next = next_broker();
    run(*next, [this] {
        EXPECT_EQ(ask(wire::AwaitRequest{core::TransactionId{1}}).kind, wire::ReplyKind::done);
        EXPECT_TRUE(script.log.has("h2: rank g1.0 of 3"));
        EXPECT_EQ(status().at("ranks"), 3);
        EXPECT_EQ(ask(resize_to(2)).kind, wire::ReplyKind::done) << "the job runs on";
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Not(Contains("h2: kills g1")));
    EXPECT_THAT(script.log.lines(), Contains("h2: rank g1.0 leaves"));
}

TEST_F(BrokerTakeoverTest, TheSecondStepOfAGrowthFollowsAFirstOneThatIsCommitted) {
    lose_broker_in_first_step_when("switches");
    script.committed = core::TransactionId{2};
    const auto next = next_broker();
    run(*next, [this] {
        const auto reply = ask(wire::AwaitRequest{core::TransactionId{2}});
        EXPECT_EQ(reply.kind, wire::ReplyKind::done);
        EXPECT_THAT(reply.text, HasSubstr("2 -> 3 ranks on 2 hosts"));
        EXPECT_EQ(status().at("ranks"), 3);
        EXPECT_EQ(status().at("parked"), 0);
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h1: rank g1.0 of 3"));
}

TEST_F(BrokerTakeoverTest, NoSecondStepFollowsAFirstOneThatIsUndone) {
    lose_broker_in_first_step_when("is asked");
    script.committed = core::TransactionId{1};
    const auto next = next_broker();
    run(*next, [this] {
        EXPECT_EQ(ask(wire::AwaitRequest{core::TransactionId{2}}).kind,
                  wire::ReplyKind::rolled_back);
        EXPECT_EQ(status().at("ranks"), 1);
        EXPECT_EQ(status().at("parked"), 1);
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Not(Contains("h1: starts 1")));
}

TEST_F(BrokerTakeoverTest, AJournalThatIsBehindItsJobChangesNothing) {
    lose_broker_when("switches");
    script.committed = core::TransactionId{2};
    const auto next = next_broker();
    EXPECT_THROW(next->run(), SystemError);
    agents.clear();
    EXPECT_THAT(script.log.lines(), Not(Contains(HasSubstr("kills"))));
    EXPECT_THAT(script.log.lines(), Not(Contains(HasSubstr("ends"))));
}

}  // namespace
}  // namespace ductile::broker::broker_takeover_test
