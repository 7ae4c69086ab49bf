#include "broker/job_groups.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "running_groups.hpp"

namespace ductile::broker::job_groups_ends_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

// ---- ends ----

TEST_F(RunningGroups, TheEndOfAMemberIsJudgedBeforeTheResizeHearsOfIt) {
    grow(false);
    const auto effects = rank_ended(0, 2, SIGKILL);
    ASSERT_EQ(words(effects), (Words{"rank end", "process ended"}));
    EXPECT_EQ(std::get<RankEnd>(effects[0]).who, "rank g0.2 on node1");
    const auto& ended = event_at<resize::ProcessEnded>(effects, 1);
    EXPECT_EQ(ended.process, (core::Process{GroupId{0}, Rank{2}}));
    EXPECT_EQ(ended.code, 128 + SIGKILL);
}

TEST_F(RunningGroups, TheEndOfANewcomerIsTheResizesAlone) {
    grow(false);
    EXPECT_EQ(words(rank_ended(1, 0)), Words{"process ended"});
    const auto effects = part_ended(1, 2, 3);
    ASSERT_EQ(words(effects), Words{"newcomer lost"});
    EXPECT_EQ(event_at<resize::NewcomerLost>(effects, 0).why,
              "the part of group g1 on node2 has ended");
    EXPECT_EQ(event_at<resize::NewcomerLost>(effects, 0).code, 3);
}

TEST_F(RunningGroups, WhatWasUndoneMayEnd) {
    grow(false);
    GroupEffects effects;
    groups.kill({GroupId{1}, true}, effects);
    job.open.reset();
    EXPECT_EQ(words(rank_ended(1, 0, SIGKILL)), Words{"process ended"});
    EXPECT_FALSE(std::get<PartEnd>(part_ended(1, 1).at(0)).needed);
}

TEST_F(RunningGroups, AGroupIsGoneWithItsLastPart) {
    EXPECT_EQ(words(part_ended(0, 0)), Words{"part end"});
    EXPECT_TRUE(part_ended(0, 0).empty());  // the same end again
    EXPECT_EQ(words(part_ended(0, 1)), (Words{"group gone", "part end"}));
    EXPECT_TRUE(groups.table().all().empty());
    EXPECT_TRUE(part_ended(0, 1).empty());
}

TEST_F(LaunchedGroups, WithMpiexecItsProxiesEnd) {
    for (int rank = 0; rank < 4; ++rank) rank_ended(0, rank);
    EXPECT_EQ(words(part_ended(0, 0)), (Words{"1:kill_run", "part end"}));
    EXPECT_EQ(words(part_ended(0, 1)), (Words{"group gone", "part end"}));
}

TEST_F(LaunchedGroups, MpiexecHearsOfAProxyWhoseRanksHaveEnded) {
    EXPECT_EQ(words(part_ended(0, 0)), Words{"part end"});  // mpiexec has died under its ranks
    for (int rank = 0; rank < 4; ++rank) rank_ended(0, rank);
    EXPECT_EQ(words(part_ended(0, 1)), (Words{"group gone", "part end"}));
    groups.start(first_start(job), true, job.hosts);
    for (int rank = 2; rank < 4; ++rank) rank_ended(0, rank);
    const auto effects = part_ended(0, 1, 4);
    ASSERT_EQ(words(effects), (Words{"0:proxy_ended", "part end"}));
    EXPECT_EQ(order_at<wire::ProxyEnded>(effects, 0).code, 4);
}

TEST_F(LaunchedGroups, MpiexecHearsOfTheProxiesOfGroupsThatItsRanksStart) {
    grow(true);
    EXPECT_EQ(words(part_ended(1, 2)), (Words{"0:proxy_ended", "newcomer lost"}));
}

TEST_F(RunningGroups, WithAHostTheJobLosesMembersOrNewcomers) {
    grow(true);
    EXPECT_EQ(words(host_lost(2, JobGroups::Loss::newcomers)), Words{"gate lost"});
    EXPECT_TRUE(host_lost(2, JobGroups::Loss::none).empty());
    EXPECT_EQ(words(host_lost(1, JobGroups::Loss::members)), Words{"group gone"});
}

TEST_F(RunningGroups, WithAHostThatRanksHaveLeftNothingIsLost) {
    job.change_layout([](auto& layout) { layout.active.pop_back(); });
    EXPECT_TRUE(host_lost(1, JobGroups::Loss::none).empty());
    // The ranks on the other host meet in their barriers without the lost host.
    EXPECT_EQ(words(pmi(0, wire::BarrierReached{GroupId{0}, 0, {}})), Words{"0:barrier_released"});
}

TEST_F(RunningGroups, ChildrenOnALostHostFailTheirSpawn) {
    spawn(1, "node1");
    EXPECT_EQ(words(host_lost(1, JobGroups::Loss::members)),
              (Words{"notify", "0:spawn_answer", "group gone"}));
}

TEST_F(RunningGroups, AHostOfChildrenAloneThatIsLostFailsTheirSpawnAndNoMore) {
    job.hosts.up.erase(HostIndex{2});
    job.hosts.idle.insert(HostIndex{2});
    spawn(2, "node1:1,node2:1", "hosts");
    EXPECT_EQ(words(host_lost(2, JobGroups::Loss::none)),
              (Words{"notify", "1:kill_run", "0:spawn_answer", "gate lost"}));
    EXPECT_EQ(words(part_ended(1, 1)), (Words{"group gone", "part end"}));
}

TEST_F(RunningGroups, WithChildrenThatRunTheirHostIsNeeded) {
    job.hosts.up.erase(HostIndex{2});
    job.hosts.idle.insert(HostIndex{2});
    spawn(1, "node2");
    pmi(2, wire::GateReached{GroupId{1}});
    host_lost(2, JobGroups::Loss::members);
}

TEST_F(LaunchedGroups, MpiexecDoesNotWaitForProxiesOnALostHost) {
    grow(true);
    const auto effects = host_lost(2, JobGroups::Loss::newcomers);
    ASSERT_EQ(words(effects), Words{"0:proxy_ended"});
    EXPECT_EQ(order_at<wire::ProxyEnded>(effects, 0).starts, GroupId{1});
    EXPECT_EQ(order_at<wire::ProxyEnded>(effects, 0).part, 1);
}

// ---- another broker's job ----

/// What a broker knew when it died, while g1 was being added.
Snapshot known_of(const TestJob& job) {
    Snapshot known;
    known.stage = Stage::running;
    known.layout = job.ledger.layout();
    known.groups = {{job.first, GroupId{0}, GroupRole::member}};
    known.open.emplace(growth(job, newcomers));
    for (int i = 0; i < 3; ++i) known.agents.push_back({HostIndex{i}, core::Generation{i + 1}});
    known.next_group = 2;
    known.next_transaction = 2;
    return known;
}

wire::GroupInventory inventory_of(int group, int first, int ranks) {
    wire::GroupInventory inventory;
    inventory.group = GroupId{group};
    inventory.first_rank = first;
    inventory.ranks.resize(static_cast<std::size_t>(ranks));
    return inventory;
}

struct TakenOverGroups : testing::Test {
    GroupEffects recover() {
        groups.restore(known.groups);
        GroupEffects effects;
        groups.recover(found, effects);
        return effects;
    }
    TestJob job;
    JobGroups groups = groups_with(served_by_agents());
    Snapshot known = known_of(job);
    RecoverySession found{known};
};

TEST_F(TakenOverGroups, WhatRunsIsKnownAgain) {
    auto inventory = inventory_of(0, 2, 2);
    inventory.ranks[1].hello = inventory.ranks[1].goodbye = true;
    found.inventory(HostIndex{0}, {{inventory_of(0, 0, 2)}, {}});
    found.inventory(HostIndex{1}, {{inventory, inventory_of(1, 0, 1)}, {}});
    found.inventory(HostIndex{2}, {{inventory_of(1, 1, 1)}, {}});
    EXPECT_TRUE(recover().empty());
    EXPECT_FALSE(groups.table().find(core::Process{GroupId{0}, Rank{2}})->goodbye);
    EXPECT_TRUE(groups.table().find(core::Process{GroupId{0}, Rank{3}})->goodbye);
    EXPECT_EQ(groups.table().find(GroupId{1})->role, GroupRole::newcomer);
    GroupEffects effects;
    // The count of barriers goes on: the ranks have passed barriers 0 to 3 under the old broker.
    groups.on_pmi(HostIndex{0}, wire::BarrierReached{GroupId{0}, 4, {}}, effects);
    groups.on_pmi(HostIndex{1}, wire::BarrierReached{GroupId{0}, 4, {}}, effects);
    EXPECT_EQ(words(effects), (Words{"0:barrier_released", "1:barrier_released"}));
    EXPECT_EQ(order_at<wire::BarrierReleased>(effects, 0).round, 4);
}

TEST_F(TakenOverGroups, ChildrenAtAShutGateHaveNoParent) {
    for (const bool shut : {true, false}) {
        groups = groups_with(served_by_agents());
        known = known_of(job);
        known.groups.push_back({{GroupId{1}, HostIndex{1}, 1}, GroupId{1}, GroupRole::child});
        known.open.reset();
        found = RecoverySession(known);
        found.inventory(HostIndex{0}, {{inventory_of(0, 0, 2)}, {}});
        found.inventory(HostIndex{1}, {{inventory_of(0, 2, 2), inventory_of(1, 0, 1)}, {}});
        EXPECT_TRUE(recover().empty());
        GroupEffects effects;
        if (shut) groups.on_pmi(HostIndex{1}, wire::GateLost{GroupId{1}, Rank{0}}, effects);
        EXPECT_EQ(words(effects), shut ? (Words{"1:kill_run", "gate lost"}) : Words{});
        EXPECT_EQ(groups.table().find(GroupId{1})->role,
                  shut ? GroupRole::undone : GroupRole::child);
    }
}

TEST_F(TakenOverGroups, WhatNobodyKnowsIsKilled) {
    auto over = inventory_of(8, 0, 1);
    over.ended = true;
    found.inventory(HostIndex{0}, {{inventory_of(0, 0, 2), inventory_of(7, 0, 1), over}, {}});
    found.inventory(HostIndex{1}, {{inventory_of(0, 2, 2), inventory_of(1, 0, 1)}, {}});
    found.inventory(HostIndex{2}, {{inventory_of(1, 1, 1)}, {}});
    const auto effects = recover();
    ASSERT_EQ(words(effects), Words{"0:kill_run"});
    EXPECT_EQ(order_at<wire::KillRun>(effects, 0).group, GroupId{7});
}

TEST_F(TakenOverGroups, WhatWasNeverStartedIsGone) {
    found.inventory(HostIndex{0}, {{inventory_of(0, 0, 2)}, {}});
    found.inventory(HostIndex{1}, {{inventory_of(0, 2, 2)}, {}});
    found.inventory(HostIndex{2}, {{}, {}});
    const auto effects = recover();
    ASSERT_EQ(words(effects), Words{"group gone"});
    EXPECT_EQ(event_at<resize::GroupGone>(effects, 0).group, GroupId{1});
}

TEST_F(TakenOverGroups, OfASilentHostNothingIsKnown) {
    found.inventory(HostIndex{0}, {{inventory_of(0, 0, 2)}, {}});
    found.lost(HostIndex{1}, true);
    found.lost(HostIndex{2}, false);
    EXPECT_TRUE(recover().empty());
    EXPECT_TRUE(groups.table().find(GroupId{0})->is_on(HostIndex{1}));
    EXPECT_TRUE(groups.table().find(GroupId{1})->is_on(HostIndex{1}));
    EXPECT_FALSE(groups.table().find(GroupId{1})->is_on(HostIndex{2}));
}

}  // namespace
}  // namespace ductile::broker::job_groups_ends_test
