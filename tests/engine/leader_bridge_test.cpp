// The program's leader, and processes that connect to its port. No MPI runs here.
#include "engine/leader_bridge.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"
#include "fake_channel.hpp"
#include "fake_join_steps.hpp"
#include "stuck_call.hpp"

namespace ductile::engine::leader_bridge_test {
namespace {

using namespace std::chrono_literals;
using Steps = std::vector<std::string>;

constexpr core::TransactionId first{7}, second{8};
const std::string accepts = "accept at the port with secret";

void fail(data::Progress&) {
    throw SystemError("they are gone");
}

struct Leader {
    FakeMpi mpi;
    std::shared_ptr<FakeChannel> agent = std::make_shared<FakeChannel>();
    LeaderBridge bridge{agent, mpi.join};
    std::weak_ptr<mpi::Comm> made;

    /// The processes that connect, by the answer to their hello.
    void let_connect(const std::vector<BridgeAnswer>& who) {
        for (const auto answer : who) {
            Accepted accepted{answer, nullptr, 0.5};
            if (answer == BridgeAnswer::welcome) accepted.bridge = std::make_shared<mpi::Comm>();
            made = accepted.bridge;
            mpi.join->connectors.push_back(std::move(accepted));
        }
    }
    void open(core::TransactionId of = first) {
        bridge.open(of, "secret");
        await<wire::BridgePort>();
    }
    template <class Message>
    void await() const {
        while (!agent->has_said<Message>()) std::this_thread::sleep_for(1ms);
    }
    /// The message that says how an accept has ended.
    wire::Bridged outcome() const {
        await<wire::Bridged>();
        return std::get<wire::Bridged>(agent->take().back());
    }
};

TEST(LeaderBridge, accepts_when_the_broker_says_so) {
    Leader leader;
    leader.let_connect({BridgeAnswer::welcome});
    leader.open();
    const auto port = leader.agent->take_only<wire::BridgePort>();
    ASSERT_TRUE(port);
    EXPECT_EQ(port->transaction, first);
    EXPECT_EQ(port->port, "the port");
    leader.bridge.accept(second);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(leader.mpi.join->take_steps(), Steps{"open port"});
    EXPECT_FALSE(leader.bridge.is_accepting());
    leader.bridge.accept(first);
    const auto outcome = leader.outcome();
    EXPECT_TRUE(outcome.ok);
    EXPECT_EQ(outcome.transaction, first);
    EXPECT_EQ(outcome.accept_s, 0.5);
    EXPECT_EQ(outcome.why, "");
    EXPECT_EQ(leader.mpi.join->take_steps(), Steps{accepts});
}

TEST(LeaderBridge, the_bridge_is_given_away_once) {
    Leader leader;
    leader.let_connect({BridgeAnswer::welcome});
    leader.open();
    EXPECT_FALSE(leader.bridge.take(first));
    leader.bridge.accept(first);
    EXPECT_TRUE(leader.outcome().ok);
    EXPECT_FALSE(leader.bridge.take(second));
    EXPECT_EQ(leader.bridge.take(first), leader.made.lock());
    EXPECT_FALSE(leader.bridge.take(first));
    EXPECT_FALSE(leader.bridge.is_accepting());
}

TEST(LeaderBridge, passes_strangers_over) {
    Leader leader;
    leader.let_connect(
        {BridgeAnswer::unauthenticated, BridgeAnswer::unauthenticated, BridgeAnswer::welcome});
    leader.open();
    leader.bridge.accept(first);
    EXPECT_TRUE(leader.outcome().ok);
    EXPECT_EQ(leader.mpi.join->take_steps(), (Steps{"open port", accepts, accepts, accepts}));
    EXPECT_TRUE(leader.bridge.take(first));
}

TEST(LeaderBridge, does_not_listen_to_strangers_for_ever) {
    Leader leader;
    leader.let_connect({BridgeAnswer::unauthenticated});
    leader.open();
    leader.bridge.accept(first);
    const auto outcome = leader.outcome();
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.why, "the processes that connected do not have the secret of this resize");
    EXPECT_EQ(leader.mpi.join->take_steps().size(), 5U);
}

TEST(LeaderBridge, an_abort_connector_ends_it) {
    Leader leader;
    leader.let_connect({BridgeAnswer::unauthenticated, BridgeAnswer::abandoned});
    leader.open();
    leader.bridge.accept(first);
    const auto outcome = leader.outcome();
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.why, "abandoned: the newcomers' leader did not connect");
    EXPECT_EQ(leader.mpi.join->take_steps(), (Steps{"open port", accepts, accepts}));
    EXPECT_FALSE(leader.bridge.take(first));
}

TEST(LeaderBridge, what_fails_in_mpi_is_reported) {
    for (const auto& step : {std::string("open port"), accepts}) {
        Leader leader;
        leader.mpi.join->at[step] = fail;
        leader.bridge.open(first, "secret");
        leader.bridge.accept(first);
        const auto outcome = leader.outcome();
        EXPECT_FALSE(outcome.ok);
        EXPECT_FALSE(outcome.degraded);
        EXPECT_EQ(outcome.why, "they are gone");
        EXPECT_EQ(leader.mpi.join->take_steps().back(), step);
        EXPECT_TRUE(leader.bridge.finish(30s));
    }
}

TEST(LeaderBridge, a_resize_that_is_given_up_accepts_nobody) {
    Leader leader;
    leader.open();
    leader.bridge.give_up(second);
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(leader.agent->has_said<wire::Bridged>());
    leader.bridge.give_up(first);
    EXPECT_EQ(leader.outcome().why, "given up");
    leader.bridge.accept(first);
    EXPECT_FALSE(leader.bridge.is_accepting());
    EXPECT_EQ(leader.mpi.join->take_steps(), Steps{"open port"});
}

TEST(LeaderBridge, its_end_frees_the_bridge) {
    Leader leader;
    EXPECT_TRUE(leader.bridge.finish(0ms));
    leader.let_connect({BridgeAnswer::welcome});
    leader.open();
    leader.bridge.accept(first);
    EXPECT_TRUE(leader.outcome().ok);
    leader.mpi.join->connectors.clear();
    EXPECT_FALSE(leader.made.expired());
    EXPECT_TRUE(leader.bridge.finish(30s));
    EXPECT_TRUE(leader.made.expired());
}

TEST(LeaderBridge, its_end_wakes_who_waits_for_the_order) {
    Leader leader;
    leader.open();
    EXPECT_TRUE(leader.bridge.finish(30s));
    EXPECT_EQ(leader.outcome().why, "the program is ending");
}

// The thread stays in MPI, and keeps what it uses.
TEST(LeaderBridge, an_accept_without_end_does_not_hold_up_the_next_one) {
    Leader leader;
    StuckCall stuck;
    leader.let_connect({BridgeAnswer::welcome});
    leader.mpi.join->at[accepts] = stuck;
    leader.open();
    leader.bridge.accept(first);
    leader.mpi.join->await(accepts);
    EXPECT_TRUE(leader.bridge.is_accepting());
    EXPECT_FALSE(leader.bridge.finish(0ms));
    leader.mpi.join->at.clear();
    leader.agent->take();
    leader.open(second);
    EXPECT_FALSE(leader.bridge.is_accepting());
    leader.bridge.accept(second);
    EXPECT_EQ(leader.outcome().transaction, second);
    EXPECT_TRUE(leader.bridge.take(second));
    stuck.let_return();
    EXPECT_EQ(leader.outcome().transaction, first);
    EXPECT_FALSE(leader.bridge.take(first)) << "it belongs to nobody any more";
}

}  // namespace
}  // namespace ductile::engine::leader_bridge_test
