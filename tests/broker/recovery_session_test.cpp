#include "broker/recovery_session.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::recovery_session_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;
using core::TransactionId;

core::Group group(int id, int host, int ranks = 1) {
    return {GroupId{id}, HostIndex{host}, ranks};
}

wire::GroupInventory running(int id, int ranks = 1) {
    wire::GroupInventory inventory;
    inventory.group = GroupId{id};
    inventory.ranks.resize(static_cast<std::size_t>(ranks));
    inventory.member = true;
    return inventory;
}

wire::Inventory of(std::vector<wire::GroupInventory> groups) {
    return {std::move(groups), TransactionId{0}};
}

wire::RankReport at(int transaction) {
    wire::RankReport report;
    report.transaction = TransactionId{transaction};
    return report;
}

/// g0 with two ranks on host 0; transaction 5 adds g1 on host 1.
Snapshot growing() {
    Snapshot known;
    known.stage = Stage::running;
    known.layout = core::Layout::of({group(0, 0, 2)});
    known.groups = {{group(0, 0, 2), GroupId{0}, GroupRole::member}};
    known.agents = {{HostIndex{0}, core::Generation{1}}, {HostIndex{1}, core::Generation{2}}};
    known.generations = 2;
    known.next_group = 2;
    known.next_transaction = 6;
    resize::ResizePlan open;
    open.id = TransactionId{5};
    open.added = {group(1, 1)};
    open.before = known.layout;
    open.after = known.layout.with(open.added);
    known.open.emplace(std::move(open));
    return known;
}

resize::ResizePlan plan_of(const Snapshot& known) {
    return known.open->plan();
}

TEST(RecoverySession, AtRestWaitsForTheInventoryOfEachHostAlone) {
    auto known = growing();
    known.open.reset();
    RecoverySession resuming(known);
    EXPECT_FALSE(resuming.is_complete());
    EXPECT_EQ(resuming.silent_hosts(), std::vector{HostIndex{0}});
    resuming.inventory(HostIndex{0}, of({running(0, 2)}));
    EXPECT_TRUE(resuming.is_complete());
    EXPECT_FALSE(resuming.committed());
}

TEST(RecoverySession, OneEarlyVoteInTheOpenResizeCallsAllRanksToVote) {
    RecoverySession recovery(growing());
    recovery.voting(core::TransactionId{4});
    EXPECT_FALSE(recovery.votes_early()) << "that one is over";
    recovery.voting(core::TransactionId{5});
    EXPECT_TRUE(recovery.votes_early());
    auto at_rest = growing();
    at_rest.open.reset();
    RecoverySession nothing_open(at_rest);
    nothing_open.voting(core::TransactionId{5});
    EXPECT_FALSE(nothing_open.votes_early());
}

TEST(RecoverySession, RanksSayWhatBecameOfTheOpenResize) {
    for (const int last : {4, 5}) {
        RecoverySession resuming(growing());
        resuming.inventory(HostIndex{0}, of({running(0, 2)}));
        auto newcomers = running(1);
        newcomers.member = false;
        resuming.inventory(HostIndex{1}, of({newcomers}));
        EXPECT_FALSE(resuming.is_complete());
        resuming.report(GroupId{0}, Rank{0}, at(last));
        EXPECT_EQ(resuming.silent_ranks().size(), 1u);
        resuming.report(GroupId{0}, Rank{1}, at(last));
        EXPECT_TRUE(resuming.is_complete());
        EXPECT_EQ(resuming.committed(), last == 5);
    }
}

TEST(RecoverySession, NewcomersThatAreMembersSayItToo) {
    RecoverySession resuming(growing());
    resuming.inventory(HostIndex{1}, of({running(1)}));
    resuming.lost(HostIndex{0}, true);
    EXPECT_TRUE(resuming.committed());
}

TEST(RecoverySession, RanksThatHaveEndedAndHostsThatAreLostAreNotWaitedFor) {
    RecoverySession resuming(growing());
    auto ended = running(0, 2);
    ended.ranks[0].goodbye = ended.ranks[1].ended = true;
    resuming.inventory(HostIndex{0}, of({ended}));
    EXPECT_FALSE(resuming.is_complete());
    resuming.lost(HostIndex{1}, true);
    EXPECT_TRUE(resuming.is_complete());

    RecoverySession other(growing());
    other.inventory(HostIndex{1}, of({}));
    other.lost(HostIndex{0}, true);
    EXPECT_TRUE(other.is_complete());
}

/// A leaver that was on its way out when its host sent its inventory. It sends nothing more.
TEST(RecoverySession, RanksThatEndAfterTheInventoryAreNotWaitedFor) {
    RecoverySession resuming(growing());
    resuming.inventory(HostIndex{0}, of({running(0, 2)}));
    resuming.inventory(HostIndex{1}, of({}));
    resuming.report(GroupId{0}, Rank{0}, at(5));
    EXPECT_FALSE(resuming.is_complete());
    resuming.ended(GroupId{0}, Rank{1});
    EXPECT_TRUE(resuming.is_complete());
    EXPECT_TRUE(resuming.committed());
}

// All ranks that a baseline resize began with may have left before they could report the outcome.
TEST(RecoverySession, AfterABaselineTheNewOnesAreWaitedFor) {
    auto known = growing();
    auto open = plan_of(known);
    open.after = core::Layout::of({group(1, 1)});
    known.open.emplace(open);
    RecoverySession resuming(known);
    auto left = running(0, 2);
    left.ranks[0].ended = left.ranks[1].ended = true;
    resuming.inventory(HostIndex{0}, of({left}));
    auto newcomers = running(1);
    newcomers.member = false;
    resuming.inventory(HostIndex{1}, of({newcomers}));
    EXPECT_TRUE(resuming.is_decided());
    EXPECT_FALSE(resuming.is_complete());
    resuming.report(GroupId{1}, Rank{0}, at(5));
    EXPECT_TRUE(resuming.is_complete());
    EXPECT_TRUE(resuming.committed());
}

/// g0 over two hosts. Its ranks 0 and 3 are gone, and its rank 2 is parked. Transaction 5 removes
/// its rank 4.
Snapshot shrinking() {
    auto known = growing();
    const core::Group wide{GroupId{0}, HostIndex{0}, 6, {{HostIndex{1}, 3}}};
    known.layout = core::Layout::of({wide}).without({Rank{0}, Rank{3}}, {Rank{2}});
    known.groups = {{wide, GroupId{0}, GroupRole::member}};
    known.next_group = 1;
    auto open = plan_of(known);
    open.added.clear();
    open.before = known.layout;
    open.after = known.layout.without({Rank{1}});
    known.open.emplace(open);
    return known;
}

wire::GroupInventory part(int first, int ranks, const std::vector<int>& ended) {
    auto inventory = running(0, ranks);
    inventory.first_rank = first;
    for (const int rank : ended)
        inventory.ranks[static_cast<std::size_t>(rank - first)].ended = true;
    return inventory;
}

// Ranks that were gone or parked before the resize have no part in it.
TEST(RecoverySession, TheRanksThatTheResizeBeganWithAreWaitedFor) {
    RecoverySession resuming(shrinking());
    using Ranks = std::vector<std::pair<GroupId, Rank>>;
    EXPECT_EQ(resuming.silent_hosts(), (std::vector{HostIndex{0}, HostIndex{1}}));
    EXPECT_EQ(resuming.silent_ranks(),
              (Ranks{{GroupId{0}, Rank{1}}, {GroupId{0}, Rank{4}}, {GroupId{0}, Rank{5}}}));
    resuming.inventory(HostIndex{0}, of({part(0, 3, {0})}));
    resuming.inventory(HostIndex{1}, of({part(3, 3, {3, 4})}));
    EXPECT_EQ(resuming.silent_ranks(), (Ranks{{GroupId{0}, Rank{1}}, {GroupId{0}, Rank{5}}}));
    resuming.report(GroupId{0}, Rank{1}, at(5));
    resuming.report(GroupId{0}, Rank{5}, at(5));
    EXPECT_TRUE(resuming.is_complete());
    EXPECT_TRUE(resuming.committed());
    EXPECT_FALSE(resuming.behind());
}

TEST(RecoverySession, AShrinkThatWasNotCommittedIsKnownByThoseThatStay) {
    RecoverySession resuming(shrinking());
    resuming.inventory(HostIndex{0}, of({part(0, 3, {0})}));
    resuming.inventory(HostIndex{1}, of({part(3, 3, {3})}));
    for (const int rank : {1, 4, 5}) resuming.report(GroupId{0}, Rank{rank}, at(4));
    EXPECT_TRUE(resuming.is_complete());
    EXPECT_FALSE(resuming.committed());
}

// A lost host's ranks are not waited for. The other ranks of their group are.
TEST(RecoverySession, OfALostHostNobodyIsWaitedFor) {
    RecoverySession resuming(shrinking());
    resuming.inventory(HostIndex{0}, of({part(0, 3, {0})}));
    resuming.lost(HostIndex{1}, true);
    EXPECT_EQ(resuming.silent_ranks().size(), 1u);
    resuming.report(GroupId{0}, Rank{1}, at(4));
    EXPECT_TRUE(resuming.is_complete());
}

TEST(RecoverySession, TellsOfAnAcceptAndOfDegradation) {
    RecoverySession resuming(growing());
    auto report = at(4);
    report.accepting = report.degraded = true;
    resuming.report(GroupId{0}, Rank{0}, report);
    EXPECT_TRUE(resuming.accepting());
    EXPECT_TRUE(resuming.degraded());
}

TEST(RecoverySession, AJournalOfTheJobsLatestStateIsNotBehind) {
    RecoverySession resuming(growing());
    auto inventory = of({running(0, 2), running(1)});
    inventory.committed = TransactionId{5};
    resuming.inventory(HostIndex{0}, inventory);
    EXPECT_FALSE(resuming.behind());
}

TEST(RecoverySession, AGroupThatTheJournalNeverHeardOfShowsThatItIsBehind) {
    RecoverySession resuming(growing());
    resuming.inventory(HostIndex{0}, of({running(0, 2), running(2)}));
    ASSERT_TRUE(resuming.behind());
    EXPECT_NE(resuming.behind()->find("g2"), std::string::npos) << *resuming.behind();
}

TEST(RecoverySession, ACommitThatTheJournalNeverHeardOfShowsThatItIsBehind) {
    RecoverySession resuming(growing());
    auto inventory = of({running(0, 2)});
    inventory.committed = TransactionId{6};
    resuming.inventory(HostIndex{0}, inventory);
    ASSERT_TRUE(resuming.behind());
    EXPECT_NE(resuming.behind()->find("resize 6"), std::string::npos) << *resuming.behind();
    EXPECT_NE(resuming.behind()->find("no resize after 5"), std::string::npos)
        << *resuming.behind();
}

// An earlier version dropped the 65,537th event silently.
TEST(RecoverySession, NoNewsIsDropped) {
    RecoverySession resuming(growing());
    constexpr int many = 200000;
    for (int i = 0; i < many; ++i) resuming.defer(deferred::AgentGone{HostIndex{i}});
    const auto deferred = resuming.take_deferred();
    ASSERT_EQ(deferred.size(), static_cast<std::size_t>(many));
    EXPECT_EQ(std::get<deferred::AgentGone>(deferred.back()).host, HostIndex{many - 1});
    EXPECT_TRUE(resuming.take_deferred().empty());
}

TEST(RecoverySession, WhatAHostDoesNotListIsAbsentUnlessTheHostIsSilent) {
    RecoverySession resuming(growing());
    resuming.inventory(HostIndex{0}, of({running(0, 2)}));
    EXPECT_FALSE(resuming.is_absent(GroupId{0}, HostIndex{0}));
    EXPECT_TRUE(resuming.is_absent(GroupId{1}, HostIndex{0}));
    EXPECT_TRUE(resuming.is_absent(GroupId{1}, HostIndex{1}));  // no inventory, and not lost
    resuming.lost(HostIndex{1}, true);
    EXPECT_FALSE(resuming.is_absent(GroupId{1}, HostIndex{1}));
}

/// The job is g0, with one rank on host 0 and one on host 1. The job is starting.
Snapshot starting() {
    auto known = growing();
    known.stage = Stage::starting;
    const core::Group first{GroupId{0}, HostIndex{0}, 2, {{HostIndex{1}, 1}}};
    known.groups = {{first, GroupId{0}, GroupRole::newcomer}};
    known.layout = core::Layout::of({first});
    resize::ResizePlan open;
    open.added = {first};
    open.after = known.layout;
    known.open.emplace(std::move(open));
    return known;
}

TEST(RecoverySession, AStartOfRanksWithoutAJobGoesOnWhenAllWereStarted) {
    RecoverySession recovery(starting());
    EXPECT_EQ(recovery.silent_hosts().size(), 2u);
    recovery.inventory(HostIndex{0}, of({running(0)}));
    EXPECT_FALSE(recovery.is_plain_and_started()) << "host 1 has not said that it has its part";
    recovery.inventory(HostIndex{1}, of({running(0)}));
    EXPECT_TRUE(recovery.is_complete());
    EXPECT_TRUE(recovery.is_plain_and_started());
}

TEST(RecoverySession, AStartThatWasBegunOnSomeHostsAloneDoesNotGoOn) {
    RecoverySession recovery(starting());
    recovery.inventory(HostIndex{0}, of({running(0)}));
    recovery.inventory(HostIndex{1}, of({}));
    EXPECT_FALSE(recovery.is_plain_and_started());
}

TEST(RecoverySession, AStartInWhichARankHasItsJobDoesNotGoOn) {
    RecoverySession recovery(starting());
    auto second = running(0);
    second.ranks[0].hello = true;
    recovery.inventory(HostIndex{0}, of({running(0)}));
    recovery.inventory(HostIndex{1}, of({second}));
    EXPECT_FALSE(recovery.is_plain_and_started());
}

TEST(RecoverySession, AHostThatIsLostInAStartIsJudgedAsInAnyJob) {
    RecoverySession recovery(starting());
    recovery.inventory(HostIndex{0}, of({running(0)}));
    recovery.lost(HostIndex{1}, true);
    EXPECT_TRUE(recovery.is_plain_and_started());
}

TEST(RecoverySession, ChildrenThatWereNotStartedDoNotMatterToAStart) {
    auto known = starting();
    known.groups.push_back({group(1, 0), GroupId{1}, GroupRole::child});
    RecoverySession recovery(known);
    recovery.inventory(HostIndex{0}, of({running(0)}));
    recovery.inventory(HostIndex{1}, of({running(0)}));
    EXPECT_TRUE(recovery.is_plain_and_started());
}

TEST(RecoverySession, EndsAreToldRankByRankThenTheParts) {
    auto over = running(0, 2);
    over.first_rank = 3;
    over.ranks[1].ended = over.ranks[1].hello = true;
    over.ranks[1].signal = 9;
    over.ended = true;
    const auto ends = ends_in(of({over, running(1)}));
    ASSERT_EQ(ends.size(), 2u);
    const auto& rank = std::get<wire::RankEnded>(ends[0]);
    EXPECT_EQ(rank.rank, Rank{4});
    EXPECT_EQ(rank.signal, 9);
    EXPECT_TRUE(rank.hello);
    EXPECT_EQ(std::get<wire::RunEnded>(ends[1]).group, GroupId{0});
}

}  // namespace
}  // namespace ductile::broker::recovery_session_test
