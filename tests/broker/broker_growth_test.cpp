// A job that grows, or does not, through Broker.
#include <sys/resource.h>

#include <csignal>

#include "broker_fixture.hpp"

namespace ductile::broker::broker_growth_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using wire::ReplyKind;

/// While this object exists, no file of this process can grow, as on a full disk.
class FullDisk {
  public:
    FullDisk() : before_(std::signal(SIGXFSZ, SIG_IGN)) {
        EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &limit_), 0);
        const rlimit none{0, limit_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &limit_);
        std::signal(SIGXFSZ, before_);
    }

  private:
    rlimit limit_{};
    void (*before_)(int);
};

/// A job of two ranks on the first two of three hosts.
struct BrokerGrowthTest : BrokerTest {
    std::unique_ptr<Broker> two_of_three() {
        make_hosts(3);
        return broker(2);
    }
    [[nodiscard]] bool is_running() const {
        return script.log.has("h0: rank g0.0 of 2") && script.log.has("h1: rank g0.1 of 2");
    }
    /// Rank 1 reports that the program has failed in the open resize.
    void fail_in_rank_1() {
        const core::TransactionId now{status().at("/pending/transaction"_json_pointer).get<int>()};
        in_loop([this, now] {
            agents.at("h1")->say({core::GroupId{0}, core::Rank{1}},
                                 wire::SwitchFailed{now, "no memory"});
        });
    }
    void expect_growth() const {
        const auto reply = ask(resize_to(3));
        EXPECT_EQ(reply.kind, ReplyKind::done) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("2 -> 3 ranks on 3 hosts"));
        EXPECT_EQ(status().at("ranks"), 3);
    }
};

TEST_F(BrokerGrowthTest, NewRanksAreJoinedWithTheOldOnesAndAreMembers) {
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        expect_growth();
        EXPECT_TRUE(script.log.has("h2: rank g1.0 of 3"));
        end_job();
    });
    for (const auto* line : {"h2: starts 1", "h2: rank g1.0 connects", "h0: rank g0.0 accepts",
                             "h0: rank g0.0 is asked", "h1: rank g0.1 is asked",
                             "h0: rank g0.0 switches", "h2: rank g1.0 joins"})
        EXPECT_THAT(script.log.lines(), Contains(line));
    EXPECT_THAT(script.log.lines(), Not(Contains("h1: rank g0.1 accepts")));
}

TEST_F(BrokerGrowthTest, ANewcomerThatDiesInItsConnectIsRolledBackAndTheAcceptIsHelped) {
    script.held = {"connects", "accepts"};
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("h0: rank g0.0 accepts"));
        in_loop([this] { agents.at("h2")->lose_ranks(); });
        const auto reply = growth.get();
        EXPECT_EQ(reply.kind, ReplyKind::rolled_back) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("rank g1.0 on h2"));
        EXPECT_TRUE(script.log.has("h2: finishes"));
        EXPECT_EQ(status().at("ranks"), 2);
        EXPECT_EQ(status().at("health"), "good");
        go_on();
        expect_growth();
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h0: the accept is helped"));
    EXPECT_THAT(script.log.lines(), Contains("h2: rank g2.0 of 3"));
}

TEST_F(BrokerGrowthTest, ANewcomersHostThatDiesIsRolledBack) {
    script.held = {"is asked"};
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("h0: rank g0.0 is asked"));
        in_loop([this] { agents.at("h2")->die(); });
        const auto reply = growth.get();
        EXPECT_EQ(reply.kind, ReplyKind::rolled_back) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("host h2 is lost"));
        EXPECT_EQ(status().at("ranks"), 2);
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h0: rank g0.0 goes on"));
    EXPECT_THAT(script.log.lines(), Contains("h1: rank g0.1 goes on"));
}

TEST_F(BrokerGrowthTest, OneThatIsCancelledIsUndoneBeforeItIsAnswered) {
    script.held = {"is asked"};
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("h1: rank g0.1 is asked"));
        EXPECT_EQ(ask(wire::CancelRequest{}).kind, ReplyKind::accepted);
        const auto reply = growth.get();
        EXPECT_EQ(reply.kind, ReplyKind::rolled_back);
        EXPECT_THAT(reply.text, HasSubstr("cancelled"));
        EXPECT_THAT(script.log.lines(), Contains("h2: kills g1"));
        EXPECT_EQ(ask(wire::CancelRequest{}).kind, ReplyKind::refused) << "none is pending";
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h0: rank g0.0 goes on"));
}

// Each of these messages would end the growth or make it wait if it belonged to this growth.
TEST_F(BrokerGrowthTest, WhatRanksSayOfAnotherResizeIsDropped) {
    script.held = {"is asked"};
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("h0: rank g0.0 is asked"));
        const int now = status().at("/pending/transaction"_json_pointer).get<int>();
        for (const int id : {now - 1, now + 1}) {
            const core::TransactionId other{id};
            const std::vector<wire::FromRank> words{
                wire::SwitchFailed{other, "why"}, wire::PointAnswer{other, 1, 5, true},
                wire::Bridged{other, false, "why", 0, true}, wire::Preparing{other, true}};
            in_loop([this, &words] {
                for (const auto& word : words)
                    agents.at("h0")->say({core::GroupId{0}, core::Rank{0}}, word);
            });
        }
        go_on();
        const auto reply = growth.get();
        EXPECT_EQ(reply.kind, ReplyKind::done) << reply.text;
        EXPECT_EQ(status().at("health"), "good");
        end_job();
    });
}

TEST_F(BrokerGrowthTest, OneInWhichTheProgramFailsOnARankIsRolledBackForThis) {
    script.held = {"is asked"};
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("h0: rank g0.0 is asked"));
        fail_in_rank_1();
        const auto reply = growth.get();
        EXPECT_EQ(reply.kind, ReplyKind::rolled_back) << reply.text;
        EXPECT_THAT(reply.text, HasSubstr("rank g0.1: no memory"));
        EXPECT_TRUE(script.log.has("h2: finishes"));
        go_on();
        expect_growth();
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h0: rank g0.0 goes on"));
}

// The first vote of a shrink is already the commit. The other ranks wait for the data of this rank.
TEST_F(BrokerGrowthTest, AShrinkInWhichTheProgramFailsOnARankEndsTheJobForThis) {
    script.held = {"switches"};
    const auto one = two_of_three();
    const int code = run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto shrink = ask_beside(resize_to(1));
        ASSERT_TRUE(script.log.has("h1: rank g0.1 switches"));
        fail_in_rank_1();
        EXPECT_NE(shrink.get().kind, ReplyKind::done);
    });
    EXPECT_EQ(code, code_lost);
    EXPECT_THAT(script.log.lines(),
                Contains("h0: ends: rank g0.1: no memory, and the resize is certain already; the "
                         "job is ended"));
}

// The point is announced, so the ranks decide. They hear of the cancellation before they vote.
TEST_F(BrokerGrowthTest, OneThatIsCancelledBeforeItsPointIsAbandonedThere) {
    script.held = {"switches"};
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("h0: rank g0.0 switches"));
        ASSERT_TRUE(script.log.has("h1: rank g0.1 switches"));
        EXPECT_EQ(ask(wire::CancelRequest{}).kind, ReplyKind::accepted);
        EXPECT_EQ(growth.get().kind, ReplyKind::rolled_back);
        EXPECT_TRUE(script.log.has("h2: finishes"));
        go_on();
        expect_growth();
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h0: rank g0.0 abandons"));
    EXPECT_THAT(script.log.lines(), Contains("h1: rank g0.1 abandons"));
}

// ---- a journal that cannot be written ----

TEST_F(BrokerGrowthTest, NoneBeginsWhileTheJournalCannotBeWritten) {
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        {
            const FullDisk full;
            const auto reply = ask(resize_to(3));
            EXPECT_EQ(reply.kind, ReplyKind::refused);
            EXPECT_THAT(reply.text, HasSubstr(journal_path()));
            EXPECT_EQ(status().at("state"), "running");
        }
        EXPECT_THAT(script.log.lines(), Not(Contains("h2: starts 1")));
        expect_growth();
        EXPECT_EQ(status().at("resizes").at(0).at("transaction"), 1) << "none was used up";
        end_job();
    });
}

TEST_F(BrokerGrowthTest, NoPointIsAnnouncedThatTheJournalDoesNotHold) {
    script.held = {"is asked"};
    const auto one = two_of_three();
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("h0: rank g0.0 is asked"));
        ASSERT_TRUE(script.log.has("h1: rank g0.1 is asked"));
        {
            const FullDisk full;
            go_on();
            const auto reply = growth.get();
            EXPECT_EQ(reply.kind, ReplyKind::rolled_back);
            EXPECT_THAT(reply.text, HasSubstr(journal_path()));
        }
        EXPECT_EQ(status().at("ranks"), 2);
        EXPECT_TRUE(script.log.has("h2: finishes"));
        expect_growth();
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Contains("h0: rank g0.0 goes on"));
    EXPECT_THAT(script.log.lines(), Contains("h2: kills g1"));
}

// ---- hosts that come later ----

TEST_F(BrokerGrowthTest, HostsThatAreGrantedLateAreUsedAndGivenBack) {
    make_hosts(2).come_and_go = true;
    const auto one = broker(2);
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("request 1: 1"));
        EXPECT_EQ(status().at("ranks"), 2);
        in_loop([this] { running_on->answer(rms::Granted{rms::RequestId{1}, {{"h2", 1}}, true}); });
        const auto reply = growth.get();
        EXPECT_EQ(reply.kind, ReplyKind::done) << reply.text;
        EXPECT_EQ(status().at("ranks"), 3);
        EXPECT_EQ(ask(resize_to(2)).kind, ReplyKind::done);
        EXPECT_TRUE(script.log.has("release h2"));
        end_job();
    });
}

TEST_F(BrokerGrowthTest, HostsThatAreGrantedWhenNobodyWantsThemAnyMoreAreGivenBack) {
    make_hosts(2).come_and_go = true;
    const auto one = broker(2);
    run(*one, [this] {
        ASSERT_TRUE(is_running());
        auto growth = ask_beside(resize_to(3));
        ASSERT_TRUE(script.log.has("request 1: 1"));
        EXPECT_EQ(ask(wire::CancelRequest{}).kind, ReplyKind::accepted);
        EXPECT_EQ(growth.get().kind, ReplyKind::rolled_back);
        ASSERT_TRUE(script.log.has("cancel 1"));
        in_loop([this] { running_on->answer(rms::Granted{rms::RequestId{1}, {{"h2", 1}}, true}); });
        EXPECT_TRUE(script.log.has("release h2"));
        EXPECT_EQ(status().at("ranks"), 2);
        end_job();
    });
    EXPECT_THAT(script.log.lines(), Not(Contains("h2: starts 1")));
}

}  // namespace
}  // namespace ductile::broker::broker_growth_test
