#include "policy/site.hpp"

#include <gtest/gtest.h>

#include "views_of_jobs.hpp"

namespace ductile::policy::site_test {
namespace {

constexpr std::optional<int> stays;
constexpr SiteJobId first{1}, second{2}, third{3};
constexpr double every_s = 5;

WaitingJob waiting(std::uint64_t id, int hosts) {
    return {WaitingJobId{id}, hosts, {}};
}

/// Jobs with one rank on each host.
class SiteTest : public ::testing::Test {
  protected:
    Decision ask(SiteJobId job, const JobView& view, const ClusterView& cluster) {
        return policy_.decide({job, view, every_s}, {cluster, held_}, now_s_);
    }
    std::optional<int> size(SiteJobId job, const JobView& view, const ClusterView& cluster) {
        return ask(job, view, cluster).ranks;
    }

    SitePolicy policy_{SharingKind::natural};
    std::map<SiteJobId, int> held_;
    double now_s_ = 0;
};

TEST_F(SiteTest, IdleHostsAreShared) {
    EXPECT_EQ(size(first, job_of(4), {0, {}}), stays);
    EXPECT_EQ(size(second, job_of(3), {0, {}}), stays);
    // The first two hosts are for the smaller job, and then each of them gets one.
    EXPECT_EQ(size(first, job_of(4), {3, {}}), 5);
}

TEST_F(SiteTest, AJobThatCannotUseMoreLeavesHostsToTheOthers) {
    EXPECT_EQ(size(second, job_of(2, 1, 0, 3), {0, {}}), stays);
    EXPECT_EQ(size(third, job_of(2, 1, 0, 2), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(4), {5, {}}), 8);
}

TEST_F(SiteTest, HostsOnTheirWayToOneJobAreNotGivenToAnother) {
    held_ = {{first, 1}, {second, 2}};
    EXPECT_EQ(size(first, job_of(1), {2, {}}), 3);
    EXPECT_EQ(policy_.hosts_missing(first, {{2, {}}, held_}, now_s_), 2);
    EXPECT_EQ(size(second, job_of(2), {2, {}}), stays);
    held_[first] = 3;  // they have come
    EXPECT_EQ(policy_.hosts_missing(first, {{0, {}}, held_}, now_s_), 0);
    EXPECT_EQ(size(second, job_of(2), {1, {}}), 3);
}

TEST_F(SiteTest, HostsThatDoNotComeAreGivenToAnother) {
    held_ = {{first, 1}, {second, 2}};
    EXPECT_EQ(size(first, job_of(1), {2, {}}), 3);
    now_s_ = 20;
    EXPECT_EQ(size(second, job_of(2), {2, {}}), 4);
}

TEST_F(SiteTest, AJobThatNoLongerAsksGetsNoShare) {
    EXPECT_EQ(size(second, job_of(1), {0, {}}), stays);
    now_s_ = 100;
    EXPECT_EQ(size(first, job_of(4), {3, {}}), 7);
}

TEST_F(SiteTest, TheJobWithMostHostsLeftGivesThemAll) {
    const ClusterView cluster{0, {waiting(7, 2)}};
    EXPECT_EQ(size(first, job_of(3), cluster), stays);
    now_s_ = 2;
    EXPECT_EQ(size(second, job_of(5), cluster), 3);
    EXPECT_EQ(size(first, job_of(3), cluster), stays);
}

TEST_F(SiteTest, AnotherJobIsToldWhenItAsks) {
    const ClusterView cluster{1, {waiting(7, 3)}};
    EXPECT_EQ(size(second, job_of(5), cluster), stays);
    now_s_ = 2;
    const auto left = ask(first, job_of(2), cluster);
    EXPECT_EQ(left.ranks, stays);
    EXPECT_EQ(left.raised, WaitingJobId{7});
    EXPECT_EQ(left.why,
              "job 7 waits for 3 hosts, which another job gives up; only 0 slots of the "
              "job and 0 hosts are free");
    now_s_ = 5;
    const auto told = ask(second, job_of(5), cluster);
    EXPECT_EQ(told.ranks, 3);
    EXPECT_EQ(told.hosts, 3);
    EXPECT_EQ(told.for_job, WaitingJobId{7});
    EXPECT_EQ(told.raised, WaitingJobId{7});
}

TEST_F(SiteTest, JobsGiveTogetherWhatNoneCanGiveAlone) {
    const ClusterView cluster{0, {waiting(7, 3)}};
    EXPECT_EQ(size(first, job_of(3, 1, 2), cluster), stays);
    EXPECT_EQ(size(second, job_of(4, 1, 2), cluster), stays);
    now_s_ = 2;
    EXPECT_EQ(size(first, job_of(3, 1, 2), cluster), 2);
    EXPECT_EQ(size(second, job_of(4, 1, 2), cluster), 2);
    // Both have shrunk, and the job has started.
    now_s_ = 7;
    EXPECT_EQ(size(first, job_of(2, 1, 2), {0, {}}), stays);
    EXPECT_EQ(size(second, job_of(2, 1, 2), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(2, 1, 2), {2, {}}), 3);
}

TEST_F(SiteTest, AJobThatDoesNotGiveIsNotToldAgainForAWhile) {
    const ClusterView cluster{0, {waiting(7, 2)}};
    EXPECT_EQ(size(second, job_of(5), cluster), stays);
    now_s_ = 2;
    EXPECT_EQ(size(second, job_of(5), cluster), 3);
    now_s_ = 5;
    EXPECT_EQ(size(first, job_of(4), cluster), stays);  // the second job gives them
    now_s_ = 7;
    EXPECT_EQ(size(second, job_of(5), cluster), stays);  // it could not
    EXPECT_EQ(size(first, job_of(4), cluster), 2);
    now_s_ = 10;
    EXPECT_EQ(size(first, job_of(2), {2, {}}), 4);  // the waiting job was cancelled
    EXPECT_EQ(size(second, job_of(5), {0, {waiting(8, 2)}}), stays);
    now_s_ = 2 + SitePolicy::start_within_s;
    EXPECT_EQ(size(second, job_of(5), {0, {waiting(8, 2)}}), stays);
    now_s_ = 200;
    EXPECT_EQ(size(second, job_of(5), {0, {waiting(8, 2)}}), 3);
}

TEST_F(SiteTest, AJobThatAsksNoMoreIsNotWaitedFor) {
    const ClusterView cluster{0, {waiting(7, 2)}};
    EXPECT_EQ(size(second, job_of(5), cluster), stays);
    now_s_ = 2;
    EXPECT_EQ(size(first, job_of(4), cluster), stays);  // the second job is to give them
    now_s_ = 12;                                        // and does not ask any more
    EXPECT_EQ(size(first, job_of(4), cluster), 2);
}

TEST_F(SiteTest, NobodyGivesMoreForAJobThatHasStarted) {
    const ClusterView cluster{0, {waiting(7, 3)}};
    EXPECT_EQ(size(first, job_of(3, 1, 2), cluster), stays);
    EXPECT_EQ(size(second, job_of(4, 1, 2), cluster), stays);
    now_s_ = 2;
    EXPECT_EQ(size(first, job_of(3, 1, 2), cluster), 2);
    EXPECT_EQ(size(second, job_of(4, 1, 2), {0, {}}), stays);
}

TEST_F(SiteTest, AJobThatEndsHasGivenItsPart) {
    held_ = {{first, 3}, {second, 5}};
    const ClusterView cluster{0, {waiting(7, 2)}};
    EXPECT_EQ(size(first, job_of(3), cluster), stays);
    EXPECT_EQ(size(second, job_of(5), cluster), stays);
    now_s_ = 2;
    EXPECT_EQ(size(second, job_of(5), cluster), 3);
    held_.erase(second);
    EXPECT_EQ(ask(first, job_of(3), {5, {}}).raised, std::nullopt);
}

TEST_F(SiteTest, AJobThatCannotGrowLeavesItsShareToOthers) {
    held_ = {{first, 1}, {second, 4}};
    EXPECT_EQ(size(second, job_of(4), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(1), {2, {}}), 3);
    now_s_ = 16;  // no host has come
    EXPECT_EQ(size(first, job_of(1), {2, {}}), 3);
    EXPECT_EQ(size(second, job_of(4), {2, {}}), stays);
    now_s_ = 32;
    EXPECT_EQ(size(second, job_of(4), {2, {}}), 6);
}

class AverageTest : public SiteTest {
  protected:
    AverageTest() { policy_ = SitePolicy(SharingKind::average); }
};

TEST_F(AverageTest, AJobWithMoreHostsGivesThemToOneWithFewer) {
    EXPECT_EQ(size(second, job_of(1), {0, {}}), stays);
    const auto decision = ask(first, job_of(6), {0, {}});
    EXPECT_EQ(decision.ranks, 4);
    EXPECT_EQ(decision.hosts, 4);
    EXPECT_EQ(decision.for_job, std::nullopt);
    now_s_ = 5;
    EXPECT_EQ(size(second, job_of(1), {2, {}}), 3);
    now_s_ = 10;
    EXPECT_EQ(size(first, job_of(4), {0, {}}), stays);
    EXPECT_EQ(size(second, job_of(3), {0, {}}), stays);
}

TEST_F(AverageTest, LimitsHold) {
    EXPECT_EQ(size(second, job_of(1, 1, 0, 2), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(6, 1, 6), {0, {}}), stays);
    EXPECT_EQ(size(third, job_of(6), {0, {}}), 5);
}

TEST_F(AverageTest, IdleHostsComeFirst) {
    EXPECT_EQ(size(second, job_of(1), {2, {}}), 3);
    EXPECT_EQ(size(first, job_of(3), {2, {}}), stays);
}

TEST_F(AverageTest, NoHostIsGivenThatNobodyCanUse) {
    EXPECT_EQ(size(second, job_of(4, 1, 0, 0, 4), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(6), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(12), {0, {}}), 8);
}

// Each of two jobs could give two hosts, and the third job needs four. The first one that gave two
// would take them back before the other one gives any.
TEST_F(AverageTest, NoJobGivesLessThanAnotherOneCanBeginWith) {
    EXPECT_EQ(size(second, job_of(4, 1, 0, 0, 4), {0, {}}), stays);
    EXPECT_EQ(size(third, job_of(7), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(7), {0, {}}), stays);
}

TEST_F(AverageTest, HostsThatWereGivenAreNotGivenAgain) {
    EXPECT_EQ(size(second, job_of(1), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(6), {0, {}}), 4);
    now_s_ = 5;  // they are not idle yet
    EXPECT_EQ(size(second, job_of(1), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(4), {0, {}}), stays);
}

TEST_F(AverageTest, OneHostOfDifferenceIsLeft) {
    EXPECT_EQ(size(second, job_of(2), {0, {}}), stays);
    EXPECT_EQ(size(first, job_of(3), {0, {}}), stays);
}

TEST(SharingKinds, HaveNames) {
    for (const auto kind : all_sharing_kinds) EXPECT_EQ(sharing_kind_named(name_of(kind)), kind);
    EXPECT_EQ(sharing_kind_named("Average"), std::nullopt);
}

}  // namespace
}  // namespace ductile::policy::site_test
