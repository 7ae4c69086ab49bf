// A process before it is a member, and what it says to its agent. No MPI runs here.
#include "engine/member.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "fake_channel.hpp"
#include "fake_join_steps.hpp"

namespace ductile::engine::member_test {
namespace {

constexpr core::TransactionId mine{3}, other{7};

struct Process {
    std::shared_ptr<FakeChannel> agent = std::make_shared<FakeChannel>();
    std::shared_ptr<Hooks> hooks = std::make_shared<Hooks>();
    Member member{agent,
                  FakeMpi().calls(),
                  std::make_shared<data::Registry>(),
                  hooks,
                  core::Process{core::GroupId{0}, core::Rank{0}},
                  [] { return 12.5; }};
};

TEST(Member, passes_its_points_while_nothing_is_asked) {
    Process process;
    EXPECT_FALSE(process.member.is_member());
    for (int i = 0; i < 3; ++i) EXPECT_EQ(process.member.resize_point(), Resized::unchanged);
    EXPECT_TRUE(process.agent->take().empty());
}

TEST(Member, says_at_its_points_that_a_resize_is_being_prepared) {
    Process process;
    process.member.on_message(wire::ResizePending{other, true, {}});
    EXPECT_EQ(process.member.resize_point(), Resized::pending);
    process.member.on_message(wire::ResizePending{other, false, {}});
    EXPECT_EQ(process.member.resize_point(), Resized::unchanged);
}

TEST(Member, a_lost_broker_prepares_no_resize) {
    Process process;
    process.member.on_message(wire::ResizePending{other, true, {}});
    process.member.on_message(wire::BrokerLost{});
    EXPECT_EQ(process.member.resize_point(), Resized::unchanged);
}

TEST(Member, owes_its_answers_until_it_is_a_member) {
    Process process;
    process.member.on_message(wire::Prepare{other, 1});
    process.member.on_message(wire::BrokerBack{});
    EXPECT_TRUE(process.agent->take().empty());
    EXPECT_EQ(process.member.resize_point(), Resized::unchanged);
}

// A rank that prepares does not answer yet. If it were armed, it would stop at its next point until
// the other ranks have prepared, too.
TEST(Member, is_asked_again_when_it_has_prepared) {
    Process process;
    std::promise<void> open;
    process.hooks->schema.on_prepare([gate = open.get_future().share()](Place) { gate.wait(); });
    process.member.finish();  // from now on it answers at once
    const wire::LayoutFields here(core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, 2}}));
    process.member.on_message(wire::Prepare{other, 1, here});
    const auto word = process.agent->take_only<wire::Preparing>();
    ASSERT_TRUE(word);
    EXPECT_TRUE(word->on);
    process.member.on_message(wire::ResizePending{other, true, here});
    EXPECT_TRUE(process.agent->take().empty());
    open.set_value();
    while (!process.agent->has_said<wire::Preparing>()) std::this_thread::yield();
    process.agent->take();
    process.member.on_message(wire::Prepare{other, 2, here});
    EXPECT_EQ(process.agent->take_only<wire::PointAnswer>()->attempt, 2);
}

// The program ended before the process was asked for its point. It enters no further points.
TEST(Member, answers_when_its_program_has_ended) {
    Process process;
    process.member.on_message(wire::Prepare{other, 2});
    const auto parting = process.member.finish();
    EXPECT_FALSE(parting.skip_finalize);
    EXPECT_FALSE(parting.stuck);
    const auto answer = process.agent->take_only<wire::PointAnswer>();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->transaction, other);
    EXPECT_EQ(answer->attempt, 2);
    EXPECT_TRUE(answer->finished);
}

TEST(Member, tells_a_resumed_broker_how_it_stands_once_it_has_ended) {
    Process process;
    process.member.on_message(wire::BrokerLost{});
    process.member.on_message(wire::BrokerBack{});
    EXPECT_TRUE(process.agent->take().empty());
    process.member.finish();
    const auto report = process.agent->take_only<wire::RankReport>();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->transaction, core::TransactionId{0});
    EXPECT_FALSE(report->accepting);
}

TEST(Member, does_not_finalize_when_it_is_told_so) {
    Process process;
    process.member.on_message(wire::SkipFinalize{});
    EXPECT_TRUE(process.member.finish().skip_finalize);
}

TEST(Member, a_process_that_leads_nothing_says_nothing_at_a_tick) {
    Process process;
    process.member.on_tick();
    EXPECT_TRUE(process.agent->take().empty());
    EXPECT_FALSE(process.agent->ticks());
}

// The process never becomes a member. So no rank needs these starts, and the process does not enter
// MPI for them.
TEST(Member, orders_to_start_groups_wait_until_it_is_a_member) {
    Process process;
    process.agent->answer.role = wire::Role::newcomer;
    process.agent->answer.transaction = mine;
    wire::SpawnGroup order;
    for (const auto transaction : {mine, other}) {
        order.transaction = transaction;
        process.member.on_message(order);
    }
    EXPECT_FALSE(process.member.finish().stuck);
    EXPECT_TRUE(process.agent->take().empty());
}

TEST(Member, what_is_not_for_members_is_passed_over) {
    Process process;
    process.member.on_message(wire::Join{});
    process.member.on_message(wire::ConnectRound{});
    process.member.on_message(wire::Commit{});
    process.member.on_message(wire::AcceptBridge{other});  // no port is open
    process.member.on_message(wire::Abandon{other, "gone"});
    EXPECT_EQ(process.member.resize_point(), Resized::unchanged);
    EXPECT_TRUE(process.agent->take().empty());
}

}  // namespace
}  // namespace ductile::engine::member_test
