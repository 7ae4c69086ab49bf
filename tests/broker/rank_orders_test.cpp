// Each order of a resize reaches the ranks that it is for.
#include "broker/rank_orders.hpp"

#include <gtest/gtest.h>

#include "../resize/resize_fixture.hpp"

namespace ductile::broker::rank_orders_test {
namespace {

using core::GroupId;
using core::RankRange;
using resize::group;

struct RankOrdersTest : testing::Test {
    resize::ResizePlan plan = resize::growth(2, plan::Start::hypercube, plan::Overlap::background);
    std::map<GroupId, core::Group> groups{
        {GroupId{0}, group(0, 0, 2)}, {GroupId{1}, group(1, 1)}, {GroupId{2}, group(2, 2)}};
    RankDirectory directory{plan.before, [this](GroupId id) { return groups.at(id).ranges(); },
                            [](GroupId id) { return "hosts of g" + std::to_string(id.value); },
                            false};

    std::vector<RankOrder> orders(const resize::Effect& effect) const {
        return orders_for(effect, plan, directory);
    }
    template <class Message>
    void expect(const resize::Effect& effect, const std::vector<RankRange>& to) const {
        const auto all = orders(effect);
        ASSERT_EQ(all.size(), 1u);
        EXPECT_TRUE(std::holds_alternative<Message>(all.front().message));
        EXPECT_EQ(all.front().to, to);
    }
};

TEST_F(RankOrdersTest, ReachWhoTheyAreFor) {
    const auto& members = plan.before.active;
    const auto newcomers = core::Layout::of(plan.added).active;
    const std::vector<RankRange> leader{{GroupId{0}, core::HostIndex{0}, core::Rank{0}, 1}};
    const std::vector<RankRange> first_newcomer{{GroupId{1}, core::HostIndex{1}, core::Rank{0}, 1}};
    expect<wire::ResizePending>(resize::TellPending{true}, members);
    expect<wire::Prepare>(resize::TellPrepare{1}, members);
    expect<wire::Proceed>(resize::TellProceed{}, members);
    expect<wire::Abandon>(resize::TellAbandon{"why"}, members);
    expect<wire::Decision>(resize::TellDecision{0}, members);
    expect<wire::ResizePending>(resize::TellNewcomersCalledOff{}, newcomers);
    expect<wire::Join>(resize::TellJoin{GroupId{1}}, newcomers);
    expect<wire::Join>(resize::TellJoin{GroupId{1}, true}, plan.after.active);
    expect<wire::Proceed>(resize::TellAtPoint{}, newcomers);
    expect<wire::SkipFinalize>(resize::TellSkipFinalize{}, members);
    expect<wire::ConnectRound>(resize::TellConnectRound{{0, "port", {GroupId{1}, GroupId{2}}}},
                               newcomers);
    expect<wire::OpenBridge>(resize::TellOpenPort{}, leader);
    expect<wire::AcceptBridge>(resize::TellAccept{}, leader);
    expect<wire::ConnectBridge>(resize::TellConnect{resize::process(1), "port"}, first_newcomer);
}

TEST_F(RankOrdersTest, MembersHearForWhichPlaceTheyPrepare) {
    const auto all = orders(resize::TellPrepare{3});
    ASSERT_EQ(all.size(), 1u);
    const auto& question = std::get<wire::Prepare>(all[0].message);
    EXPECT_EQ(question.attempt, 3);
    EXPECT_EQ(core::Layout(question.after), plan.after);
}

TEST_F(RankOrdersTest, MembersHearHowTheirDataMove) {
    plan.strategy.redistribution = plan::Executor::alltoallv;
    const auto all = orders(resize::TellDecision{9});
    ASSERT_EQ(all.size(), 1u);
    const auto& decision = std::get<wire::Decision>(all[0].message);
    EXPECT_EQ(decision.redistribution, plan::Executor::alltoallv);
    EXPECT_TRUE(decision.move_costs.empty());
}

TEST_F(RankOrdersTest, MembersChooseHowTheirDataMoveByTheSameCosts) {
    plan.strategy.redistribution = plan::Executor::automatic;
    const plan::MoveCost cost{plan::Executor::p2p, 0.5, 0.25, 0.125};
    directory.move_costs = {cost};
    const auto all = orders(resize::TellDecision{9});
    ASSERT_EQ(all.size(), 1u);
    const auto& decision = std::get<wire::Decision>(all[0].message);
    EXPECT_EQ(decision.redistribution, plan::Executor::automatic);
    ASSERT_EQ(decision.move_costs.size(), 1u);
    EXPECT_EQ(decision.move_costs[0], cost);
}

TEST_F(RankOrdersTest, MembersHearWhatTheyMayHoldWhileDataMove) {
    const auto memory = [this] {
        return std::get<wire::Decision>(orders(resize::TellDecision{9})[0].message).memory;
    };
    EXPECT_EQ(memory(), plan::Memory::keep);
    plan.strategy.memory = plan::Memory::tight;
    EXPECT_EQ(memory(), plan::Memory::tight);
}

TEST_F(RankOrdersTest, MembersHearWhetherTheyAreJoinedAtThePoint) {
    const auto joined = [this] {
        return std::get<wire::Decision>(orders(resize::TellDecision{9})[0].message).joined;
    };
    EXPECT_FALSE(joined());
    plan.strategy.joining = plan::Joining::background;
    EXPECT_TRUE(joined());
    plan.strategy.overlap = plan::Overlap::blocking;
    EXPECT_FALSE(joined());
}

TEST_F(RankOrdersTest, WhoJoinsInTheBackgroundHearsHowFrozenArraysMove) {
    const auto join = [this](bool background) {
        const auto all = orders(resize::TellJoin{GroupId{1}, background});
        return std::get<wire::Join>(all[0].message);
    };
    plan.strategy.redistribution = plan::Executor::alltoallv;
    EXPECT_EQ(join(true).redistribution, plan::Executor::alltoallv);
    EXPECT_EQ(core::Layout(join(true).after), plan.after);
    EXPECT_EQ(join(false).after, wire::LayoutFields());
    plan.strategy.redistribution = plan::Executor::automatic;
    EXPECT_EQ(join(true).redistribution, plan::Executor::p2p) << "nothing waits for them";
}

TEST_F(RankOrdersTest, ASpawnerIsToldWhatToSpawnAndWhere) {
    const auto all = orders(resize::TellSpawn{{GroupId{0}, core::Rank{1}, GroupId{2}}});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].to,
              (std::vector<RankRange>{{GroupId{0}, core::HostIndex{0}, core::Rank{1}, 1}}));
    const auto& order = std::get<wire::SpawnGroup>(all[0].message);
    EXPECT_EQ(order.ranks, 1);
    EXPECT_EQ(order.hosts, "hosts of g2");
    EXPECT_EQ(order.bridge, plan::SpawnBridge::no);
}

TEST_F(RankOrdersTest, ParkedRanksThatComeBackHearOfTheDecision) {
    plan.before = plan.before.without({}, {core::Rank{1}});
    plan.after = plan.before.with_back(1);
    const auto all = orders(resize::TellDecision{9});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<wire::ComeBack>(all[1].message));
    EXPECT_EQ(all[1].to, plan.change().returning);
}

TEST_F(RankOrdersTest, WhatIsForTheBrokerTellsNobody) {
    EXPECT_TRUE(orders(resize::StartGroups{}).empty());
    EXPECT_TRUE(orders(resize::Finished{}).empty());
}

}  // namespace
}  // namespace ductile::broker::rank_orders_test
