// A background join on one source: the program computes meanwhile. No MPI runs here.
#include "engine/background_join.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "fake_channel.hpp"
#include "fake_join_steps.hpp"
#include "stuck_call.hpp"

namespace ductile::engine::background_join_test {
namespace {

using namespace std::chrono_literals;
using Asked = std::vector<std::string>;

constexpr core::TransactionId first{7}, second{8};
const Asked all_steps{"own comm", "await newcomers", "handshake", "connect", "exchange"};
/// These steps come next if there is a frozen array.
const Asked steps_ahead{"least", "all ahead"};

/// Rank 1 of two sources, which a newcomer joins; or rank 0, which has the bridge.
struct Source {
    FakeMpi mpi;
    std::shared_ptr<FakeChannel> agent = std::make_shared<FakeChannel>();
    std::atomic<int> pending = 0;
    std::weak_ptr<mpi::Comm> bridge;
    BackgroundJoin join{agent, [this](bool on) { pending += on ? 1 : -1; }};

    /// The part that this source has of a frozen array.
    [[nodiscard]] static data::FrozenArray frozen_array(int rank) {
        data::FrozenArray array;
        array.spec = {"a", "int", 1, sizeof(int), 100};
        array.spec.frozen = true;
        array.block = data::make_block(
            array.spec, std::make_shared<const plan::Partition>(plan::BlockDistribution{100, 2}),
            rank);
        return array;
    }
    std::vector<data::FrozenArray> frozen;

    void begin(core::TransactionId transaction, int rank = 1, bool with_bridge = true) {
        mpi.join->all = {rank, 3};
        BackgroundJoin::Order order;
        order.mpi = mpi.calls();
        order.side.local = mpi.peers->job({rank, 2}).switching;
        order.side.transaction = transaction;
        if (rank == 0 && with_bridge) order.side.bridge = std::make_shared<mpi::Comm>();
        bridge = order.side.bridge;
        order.ranks = 3;
        order.before = core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, 2, {}}});
        order.state.layout = core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, 3, {}}});
        order.frozen = frozen;
        order.state.targets = first_ranks(3);
        order.state.packed = data::pack_state({}, {});
        mpi.join->state = pack_join_state(order.state);
        join.begin(std::move(order));
    }
    void await(const std::string& step) const { mpi.join->await(step); }
    /// Waits until the helper has ended. Returns the source's report.
    wire::SourceJoined report() {
        while (pending > 0) std::this_thread::sleep_for(1ms);
        return agent->take_only<wire::SourceJoined>().value();
    }
};

TEST(BackgroundJoin, what_it_has_made_is_given_away_once) {
    for (const int rank : {0, 1}) {
        Source source;
        source.begin(first, rank);
        const auto report = source.report();
        EXPECT_TRUE(report.ok);
        EXPECT_EQ(report.transaction, first);
        EXPECT_EQ(source.mpi.join->take_steps(), all_steps);
        EXPECT_TRUE(source.join.is_open());
        EXPECT_FALSE(source.join.take(second));
        const auto joined = source.join.take(first);
        ASSERT_TRUE(joined);
        EXPECT_EQ(source.mpi.peers->place_in(*joined->comms.job).size, 3);
        EXPECT_EQ(joined->bridge, source.bridge.lock());
        EXPECT_EQ(joined->bridge != nullptr, rank == 0);
        EXPECT_FALSE(source.join.is_open());
        EXPECT_FALSE(source.join.take(first));
        EXPECT_TRUE(source.join.finish(0ms));
    }
}

TEST(BackgroundJoin, a_step_that_fails_is_reported_and_leaves_nothing) {
    for (const auto& step : all_steps) {
        Source source;
        source.mpi.join->at[step] = [](data::Progress&) { throw SystemError("they are gone"); };
        source.begin(first, 0);
        const auto report = source.report();
        EXPECT_FALSE(report.ok);
        EXPECT_FALSE(report.degraded);
        EXPECT_EQ(report.why, "they are gone");
        EXPECT_EQ(source.mpi.join->take_steps().back(), step);
        EXPECT_TRUE(source.bridge.expired());
        EXPECT_FALSE(source.join.take(first));
        EXPECT_TRUE(source.join.finish(0ms));
    }
}

TEST(BackgroundJoin, it_leaves_each_step_when_the_newcomers_are_lost) {
    for (const auto& step : all_steps) {
        if (step == "own comm") continue;  // the other side has no part in it
        Source source;
        source.mpi.join->at[step] = wait_until_abandoned;
        source.begin(first, 0);
        source.await(step);
        source.join.abandon(second);
        EXPECT_EQ(source.pending, 1);
        source.join.abandon(first);
        EXPECT_EQ(source.report().why, "given up");
        EXPECT_EQ(source.mpi.join->take_steps().back(), step);
        EXPECT_TRUE(source.bridge.expired());
        EXPECT_FALSE(source.join.take(first));
    }
}

TEST(BackgroundJoin, frozen_arrays_are_there_when_it_is_made) {
    Source source;
    source.frozen = {Source::frozen_array(0)};
    source.begin(first, 0);
    EXPECT_TRUE(source.report().ok);
    auto steps = all_steps;
    steps.insert(steps.end(), steps_ahead.begin(), steps_ahead.end());
    EXPECT_EQ(source.mpi.join->take_steps(), steps);
    EXPECT_EQ(source.mpi.peers->take_asked(), Asked{"move to 0 1 2"});
    const auto joined = source.join.take(first);
    ASSERT_TRUE(joined);
    ASSERT_EQ(joined->ahead.arrays.size(), 1U);
    EXPECT_EQ(joined->ahead.arrays[0].spec.name, "a");
}

TEST(BackgroundJoin, frozen_arrays_that_do_not_arrive_leave_nothing) {
    const auto gone = [](data::Progress&) { throw SystemError("they are gone"); };
    for (const std::string step : {"least", "move", "all ahead"}) {
        Source source;
        source.frozen = {Source::frozen_array(0)};
        if (step == "move")
            source.mpi.peers->while_moving = gone;
        else
            source.mpi.join->at[step] = gone;
        source.begin(first, 0);
        EXPECT_EQ(source.report().why, "they are gone");
        EXPECT_TRUE(source.bridge.expired());
        EXPECT_FALSE(source.join.take(first));
    }
}

TEST(BackgroundJoin, it_leaves_the_move_of_frozen_arrays_when_newcomers_are_lost) {
    for (const auto& step : steps_ahead) {
        Source source;
        source.frozen = {Source::frozen_array(0)};
        source.mpi.join->at[step] = wait_until_abandoned;
        source.begin(first, 0);
        source.await(step);
        source.join.abandon(first);
        EXPECT_EQ(source.report().why, "given up");
    }
}

TEST(BackgroundJoin, rank_0_needs_the_bridge) {
    Source source;
    source.begin(first, 0, false);
    EXPECT_EQ(source.report().why, "there is no bridge to the newcomers");
    EXPECT_EQ(source.mpi.join->take_steps(), Asked{"own comm"});
}

TEST(BackgroundJoin, others_than_the_plan_says_are_refused) {
    Source source;
    source.mpi.join->at["connect"] = [&](data::Progress&) { source.mpi.join->all = {1, 4}; };
    source.begin(first);
    EXPECT_EQ(source.report().why, "the joined communicator has 4 ranks, not 3");
}

TEST(BackgroundJoin, what_is_dropped_comes_to_its_end_and_is_gone) {
    for (const auto& step : all_steps) {
        Source source;
        StuckCall call;
        source.mpi.join->at[step] = call;
        source.begin(first, 0);
        source.await(step);
        EXPECT_FALSE(source.join.drop(second));
        EXPECT_TRUE(source.join.is_open());
        EXPECT_TRUE(source.join.drop(first));
        EXPECT_FALSE(source.join.is_open());
        EXPECT_FALSE(source.join.take_progress());
        call.let_return();
        EXPECT_TRUE(source.report().ok);
        EXPECT_EQ(source.mpi.join->take_steps(), all_steps);
        EXPECT_TRUE(source.bridge.expired());
        EXPECT_FALSE(source.join.take(first));
    }
}

TEST(BackgroundJoin, what_is_dropped_may_be_lost_afterwards) {
    Source source;
    source.mpi.join->at["handshake"] = wait_until_abandoned;
    source.begin(first);
    source.await("handshake");
    EXPECT_TRUE(source.join.drop(first));
    source.join.abandon(first);
    EXPECT_EQ(source.report().why, "given up");
    EXPECT_TRUE(source.join.finish(0ms));
}

TEST(BackgroundJoin, what_has_ended_may_be_dropped) {
    Source source;
    source.begin(first, 0);
    EXPECT_TRUE(source.report().ok);
    EXPECT_FALSE(source.bridge.expired());
    EXPECT_TRUE(source.join.drop(first));
    EXPECT_TRUE(source.bridge.expired());
    EXPECT_FALSE(source.join.take(first));
}

TEST(BackgroundJoin, each_step_is_news_once) {
    Source source;
    StuckCall call;
    EXPECT_FALSE(source.join.take_progress());
    source.mpi.join->at["handshake"] = call;
    source.begin(first);
    source.await("handshake");
    EXPECT_EQ(source.join.take_progress(), first);
    EXPECT_FALSE(source.join.take_progress());
    call.let_return();
    source.report();
    EXPECT_EQ(source.join.take_progress(), first);
    EXPECT_FALSE(source.join.take_progress());
}

// The helper stays in MPI for ever, and keeps what it uses.
TEST(BackgroundJoin, a_dead_side_does_not_hold_up_the_end) {
    Source source;
    StuckCall call;
    source.mpi.join->at["handshake"] = call;
    source.begin(first, 0);
    source.await("handshake");
    source.join.abandon(first);
    EXPECT_FALSE(source.join.finish(1h));  // it does not wait that long for an abandoned join
    EXPECT_FALSE(source.bridge.expired());
    call.let_return();
    while (!source.agent->has_said<wire::SourceJoined>()) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(source.join.finish(30s));
    EXPECT_EQ(source.pending, 1);  // after finish() the helper's end is not reported any more
}

TEST(BackgroundJoin, a_helper_that_is_stuck_does_not_hold_up_the_next_join) {
    Source source;
    StuckCall call;
    source.mpi.join->at["handshake"] = call;
    source.begin(first);
    source.await("handshake");
    source.join.abandon(first);
    source.join.drop(first);
    source.mpi.join->at.clear();
    source.begin(second);
    while (!source.agent->has_said<wire::SourceJoined>()) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(source.agent->take_only<wire::SourceJoined>()->ok);
    EXPECT_TRUE(source.join.take(second));
    call.let_return();
    EXPECT_FALSE(source.report().ok);
}

}  // namespace
}  // namespace ductile::engine::background_join_test
