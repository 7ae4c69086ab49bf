#include "policy/natural.hpp"

#include <gtest/gtest.h>

#include "views_of_jobs.hpp"

namespace ductile::policy::natural_test {
namespace {

constexpr std::optional<int> stays;

/// One rank on each host.
JobView job(int ranks, int min = 0, int max = 0) {
    return job_of(ranks, 1, min, max);
}

WaitingJob waiting(std::uint64_t id, int hosts, const std::string& tasks = {}) {
    return {WaitingJobId{id}, hosts, tasks};
}

class NaturalTest : public ::testing::Test {
  protected:
    Decision decide(const JobView& view, const ClusterView& cluster) {
        return policy_.decide(view, cluster, now_s_);
    }
    std::optional<int> size(const JobView& view, const ClusterView& cluster) {
        return decide(view, cluster).ranks;
    }
    /// The policy has seen these jobs wait before.
    void seen(const ClusterView& cluster) { decide(job(1), cluster); }

    Natural policy_;
    double now_s_ = 0;
};

TEST_F(NaturalTest, WithAnEmptyQueueTheJobGrowsAsFarAsThereIsRoom) {
    EXPECT_EQ(size(job(2), {3, {}}), 5);
    EXPECT_EQ(size(job(2, 0, 4), {3, {}}), 4);
    EXPECT_EQ(size(job(2), {0, {}}), stays);
    EXPECT_EQ(size(job(4, 0, 4), {3, {}}), stays);
}

TEST_F(NaturalTest, OwnFreeSlotsAreRoomToo) {
    auto with_slots = job(2);
    with_slots.free_slots = 1;
    EXPECT_EQ(size(with_slots, {0, {}}), 3);
}

TEST_F(NaturalTest, HostsAreGivenUpForAJobThatCanStartWithThem) {
    EXPECT_EQ(size(job(5, 2), {1, {waiting(7, 3)}}), stays);  // it may be starting just now
    const auto decision = decide(job(5, 2), {1, {waiting(7, 3)}});
    EXPECT_EQ(decision.ranks, 3);
    EXPECT_EQ(decision.hosts, 3);
    EXPECT_EQ(decision.for_job, WaitingJobId{7});
    EXPECT_EQ(decision.why, "job 7 waits for 3 hosts, and 1 host is idle");
}

TEST_F(NaturalTest, NeverBelowTheMinNorTheHostsThatCannotBeGivenBack) {
    for (const auto& one : {waiting(7, 2), waiting(8, 5)}) {
        seen({0, {one}});
        EXPECT_EQ(size(job(5, 4), {0, {one}}), stays);
    }
    auto own_hosts = job(5);
    for (auto& host : own_hosts.hosts) host.is_returnable = false;
    EXPECT_EQ(size(own_hosts, {0, {waiting(7, 2)}}), stays);
}

TEST_F(NaturalTest, TheFirstJobThatCanBeHelpedIsHelped) {
    const ClusterView cluster{0, {waiting(7, 9), waiting(8, 2), waiting(9, 1)}};
    seen(cluster);
    const auto decision = decide(job(4, 2), cluster);
    EXPECT_EQ(decision.for_job, WaitingJobId{8});
    EXPECT_EQ(decision.ranks, 2);
}

// dmr-slurm-mpdata, section 4.1: the last sentence of the description of Algorithm 1.
TEST_F(NaturalTest, TheJobGrowsIfNoWaitingJobCanBeHelped) {
    EXPECT_EQ(size(job(2, 2), {2, {waiting(7, 9)}}), 4);
}

TEST_F(NaturalTest, HostsAreLeftToAJobThatStartsByItself) {
    const ClusterView cluster{3, {waiting(7, 2)}};
    EXPECT_EQ(size(job(2), cluster), 3);  // only the third
    EXPECT_EQ(size(job(3), {2, {waiting(7, 2)}}), stays);
    now_s_ = Natural::start_within_s;  // it does not start: something else keeps it
    EXPECT_EQ(size(job(2), cluster), 5);
    EXPECT_EQ(size(job(5), {0, {waiting(7, 2)}}), stays);  // so it is not helped either
    now_s_ += Natural::again_after_s;
    EXPECT_EQ(size(job(5), {0, {waiting(7, 2)}}), 3);
}

TEST_F(NaturalTest, HostsThatWereGivenUpAreLeftToTheJob) {
    seen({0, {waiting(7, 2)}});
    EXPECT_EQ(size(job(4), {0, {waiting(7, 2)}}), 2);
    EXPECT_EQ(size(job(2), {1, {waiting(7, 2)}}), stays);  // one of the hosts is idle already
    EXPECT_EQ(size(job(2), {2, {waiting(7, 2)}}), stays);
    EXPECT_EQ(size(job(2), {0, {}}), stays);  // it has started
    EXPECT_EQ(size(job(2), {2, {}}), 4);      // it has ended
}

TEST_F(NaturalTest, OneJobIsHelpedAtATime) {
    const ClusterView cluster{0, {waiting(7, 2), waiting(8, 1)}};
    seen(cluster);
    EXPECT_EQ(size(job(6), cluster), 4);
    EXPECT_EQ(size(job(4), cluster), stays);
    EXPECT_EQ(size(job(4), {0, {waiting(8, 1)}}), 3);  // the first one has started
}

TEST_F(NaturalTest, AJobThatDidNotStartGetsNoMoreHostsForAWhile) {
    const ClusterView cluster{0, {waiting(7, 2)}};
    seen(cluster);
    EXPECT_EQ(size(job(6), cluster), 4);
    EXPECT_EQ(size(job(4), cluster), stays);  // others took the hosts
    now_s_ = Natural::start_within_s;
    EXPECT_EQ(size(job(4), cluster), stays);
    EXPECT_EQ(size(job(4), {1, {waiting(7, 2)}}), 5);
    now_s_ += Natural::again_after_s;
    EXPECT_EQ(size(job(5), cluster), 3);
    EXPECT_EQ(size(job(3), cluster), stays);
    now_s_ += Natural::start_within_s;
    EXPECT_EQ(size(job(3), cluster), stays);
    now_s_ += Natural::again_after_s;  // twice as long after the second time
    EXPECT_EQ(size(job(3), cluster), stays);
    now_s_ += Natural::again_after_s;
    EXPECT_EQ(size(job(3), cluster), 1);
}

// In between, the waiting job may have another reason to wait. Then the policy does not see it.
TEST_F(NaturalTest, AFailureIsRememberedWhileTheJobIsNotSeen) {
    seen({0, {waiting(7, 2)}});
    EXPECT_EQ(size(job(6), {0, {waiting(7, 2)}}), 4);
    EXPECT_EQ(size(job(4), {0, {waiting(7, 2)}}), stays);
    now_s_ = Natural::start_within_s;
    EXPECT_EQ(size(job(4), {0, {waiting(7, 2)}}), stays);
    EXPECT_EQ(size(job(4), {0, {}}), stays);
    EXPECT_EQ(size(job(4), {0, {waiting(7, 2)}}), stays);
    EXPECT_EQ(size(job(4), {0, {waiting(7, 2)}}), stays);
}

// The waiting jobs need something that no host of this job has.
TEST_F(NaturalTest, JobsThatNeverStartMoveTheJobLessAndLessOften) {
    ClusterView cluster{0, {}};
    for (std::uint64_t id = 1; id <= 50; ++id) cluster.waiting.push_back(waiting(id, 1));
    int ranks = 8;
    int resizes = 0;
    constexpr double hour_s = 3600;
    for (now_s_ = 0; now_s_ < 10 * hour_s; now_s_ += 5) {
        cluster.idle_hosts = 8 - ranks;
        if (const auto decided = size(job(ranks), cluster)) {
            ranks = *decided;
            ++resizes;
        }
    }
    EXPECT_LE(resizes, 30);
}

// dmr-slurm-mpdata, Algorithm 1: the job that gets the hosts has the highest priority.
TEST_F(NaturalTest, TheJobIsRaisedUntilItHasStarted) {
    const ClusterView cluster{0, {waiting(7, 2)}};
    EXPECT_EQ(decide(job(4), cluster).raised, std::nullopt);
    EXPECT_EQ(decide(job(4), cluster).raised, WaitingJobId{7});
    EXPECT_EQ(decide(job(2), {1, {waiting(7, 2)}}).raised, WaitingJobId{7});
    EXPECT_EQ(decide(job(2), {0, {}}).raised, std::nullopt);
}

TEST_F(NaturalTest, AJobThatDoesNotStartIsNoLongerRaised) {
    const ClusterView cluster{0, {waiting(7, 2)}};
    seen(cluster);
    EXPECT_EQ(decide(job(4), cluster).raised, WaitingJobId{7});
    EXPECT_EQ(decide(job(2), cluster).raised, WaitingJobId{7});
    now_s_ = Natural::start_within_s;
    EXPECT_EQ(decide(job(2), cluster).raised, std::nullopt);
}

TEST_F(NaturalTest, AJobIsNotRaisedForAShrinkThatWasNotCarriedOut) {
    const ClusterView cluster{0, {waiting(7, 2)}};
    seen(cluster);
    EXPECT_EQ(decide(job(4), cluster).raised, WaitingJobId{7});
    EXPECT_EQ(decide(job(4), cluster).raised, std::nullopt);
}

// Otherwise all tasks of the array would be raised.
TEST_F(NaturalTest, AnArrayIsHelpedButNotRaised) {
    const ClusterView cluster{0, {waiting(7, 1, "[1-3]")}};
    seen(cluster);
    const auto decision = decide(job(4), cluster);
    EXPECT_EQ(decision.for_job, WaitingJobId{7});
    EXPECT_EQ(decision.raised, std::nullopt);
}

TEST_F(NaturalTest, EachTaskOfAnArrayIsHelped) {
    seen({0, {waiting(7, 1, "[1-3]")}});
    EXPECT_EQ(size(job(6), {0, {waiting(7, 1, "[1-3]")}}), 5);
    EXPECT_EQ(size(job(5), {0, {waiting(7, 1, "[2-3]")}}), 4);
}

// The tasks of the array start on hosts of another kind than those that were given up.
TEST_F(NaturalTest, HostsThatStayIdleWereNoHelp) {
    seen({0, {waiting(7, 1, "[1-9]")}});
    EXPECT_EQ(size(job(6), {0, {waiting(7, 1, "[1-9]")}}), 5);
    EXPECT_EQ(size(job(5), {1, {waiting(7, 1, "[2-9]")}}), 6);
    now_s_ = Natural::start_within_s;
    EXPECT_EQ(size(job(6), {0, {waiting(7, 1, "[3-9]")}}), stays);
    EXPECT_EQ(size(job(6), {0, {waiting(7, 1, "[4-9]")}}), stays);
}

TEST_F(NaturalTest, AShrinkThatWasNotCarriedOutIsNotDecidedAgainAtOnce) {
    const ClusterView cluster{0, {waiting(7, 2), waiting(8, 1)}};
    seen(cluster);
    EXPECT_EQ(decide(job(4), cluster).for_job, WaitingJobId{7});
    EXPECT_EQ(decide(job(4), cluster).for_job, WaitingJobId{8});
    now_s_ = Natural::start_within_s;
    EXPECT_EQ(decide(job(4), cluster).for_job, WaitingJobId{7});
}

}  // namespace
}  // namespace ductile::policy::natural_test
