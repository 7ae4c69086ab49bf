#include "broker/job_policy.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::job_policy_test {
namespace {

using namespace std::chrono_literals;

policy::JobView job(int ranks) {
    policy::JobView view;
    view.ranks = ranks;
    view.hosts.resize(static_cast<std::size_t>(ranks));
    view.hosts.front().is_returnable = false;
    return view;
}

constexpr double every_s = 5;

class JobPolicyTest : public ::testing::Test {
  protected:
    std::optional<NextStep> decide(int ranks, int idle_hosts) {
        policy_.looks();
        EXPECT_FALSE(policy_.rests());
        return decide(job(ranks), {idle_hosts, {}});
    }
    std::optional<NextStep> decide(const policy::JobView& view,
                                   const policy::ClusterView& cluster) {
        const double now_s = now_s_++;
        std::optional<NextStep> step;
        policy_.ask({view, cluster, now_s}, [&](const PolicyAnswer& answer) {
            step = policy_.decided(view.ranks, std::get<policy::Decision>(answer), now_s);
        });
        return step;
    }

    JobPolicy policy_{make_own_policy(policy::Kind::natural), every_s};
    double now_s_ = 0;
};

TEST_F(JobPolicyTest, ManualIsNoPolicy) {
    EXPECT_TRUE(policy_.is_on());
    EXPECT_FALSE(JobPolicy(make_own_policy(policy::Kind::manual), every_s).is_on());
    EXPECT_EQ(policy_.name(), "natural");
}

TEST_F(JobPolicyTest, ADecisionIsARequestLikeAnyOther) {
    const auto step = decide(2, 3);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->request.size()->range, (core::SizeRange{3, 5}));  // or as many as come at once
    EXPECT_TRUE(step->only_at_once);
    EXPECT_TRUE(step->request.wait);
    ASSERT_EQ(step->askers.size(), 1U);
    EXPECT_EQ(std::get<AskingPolicy>(step->askers[0]).decision, 1);
    EXPECT_FALSE(policy_.rests());
    policy_.answered(1, {ReplyKind::done, "2 -> 5"});
    EXPECT_TRUE(policy_.rests());
    EXPECT_EQ(policy_.records().back().outcome, "done");
}

TEST_F(JobPolicyTest, AnExactSizeIsNoRange) {
    const auto step = policy_.decided(2, {5, {}, {}, "a program says so", true}, 0);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->request.size()->range, (core::SizeRange{5, 5}));
}

TEST_F(JobPolicyTest, HostsAreGivenUpAsHosts) {
    const policy::ClusterView cluster{0, {{policy::WaitingJobId{7}, 2}}};
    EXPECT_FALSE(decide(job(4), cluster));
    const auto step = decide(job(4), cluster);
    ASSERT_TRUE(step);
    EXPECT_EQ(*step->request.size(), (NewSize{{2, 2}, SizeUnit::hosts}));
}

// --- the priority of the waiting job

constexpr policy::WaitingJobId seven{7};

policy::Decision gift() {
    policy::Decision decision{2, 2, seven, "job 7 waits", false};
    decision.raised = seven;
    return decision;
}

TEST_F(JobPolicyTest, WhatBecameOfThePriorityIsAReason) {
    struct Case {
        rms::RaiseAnswer answer;
        std::string why;
        std::optional<policy::WaitingJobId> put_back;  ///< by the next decision
    };
    for (const auto& one : {
             Case{rms::Raised{}, "job 7 waits; its priority is raised", seven},
             Case{rms::IsFirst{}, "job 7 waits", {}},
             Case{rms::NotRaised{"Slurm refuses"},
                  "job 7 waits; its priority stays: Slurm refuses",
                  {}},
             Case{rms::NotRaised{}, "job 7 waits", {}},
         }) {
        EXPECT_EQ(policy_.priorities_for(gift(), 0).raise, seven);
        const auto decision = policy_.raised(gift(), one.answer, 0);
        EXPECT_EQ(decision.why, one.why);
        EXPECT_EQ(policy_.priorities_for({}, 1).put_back, one.put_back) << one.why;
    }
}

TEST_F(JobPolicyTest, AJobStaysRaisedWhileThePolicyResizes) {
    static_cast<void>(policy_.raised(gift(), rms::Raised{}, 0));
    ASSERT_TRUE(policy_.decided(4, gift(), 0));
    constexpr double long_resize_s = 5 * policy::RaisedJob::kept_s;
    EXPECT_EQ(policy_.no_longer_raised(long_resize_s), std::nullopt);
    policy_.answered(1, {ReplyKind::done, {}});
    EXPECT_EQ(policy_.no_longer_raised(long_resize_s + 1), std::nullopt);
    EXPECT_EQ(policy_.no_longer_raised(long_resize_s + policy::RaisedJob::kept_s), seven);
}

TEST_F(JobPolicyTest, APersonEndsTheRaise) {
    static_cast<void>(policy_.raised(gift(), rms::Raised{}, 0));
    EXPECT_EQ(policy_.no_longer_raised(1), std::nullopt);
    policy_.suspend(2, "a person", 1);
    EXPECT_EQ(policy_.no_longer_raised(2), seven);
    EXPECT_EQ(policy_.no_longer_raised(3), std::nullopt);
}

class Priorities final : public rms::JobPriorities {
  public:
    void raise(policy::WaitingJobId job, rms::OnRaised on_raised) override {
        log.push_back("raise " + std::to_string(job.value));
        on_raised(rms::Raised{});
    }
    void put_back(policy::WaitingJobId job) override {
        log.push_back("put back " + std::to_string(job.value));
    }
    std::vector<std::string> log;
};

class ClusterWithPriorities final : public rms::Cluster {
  public:
    rms::JobPriorities* priorities() override { return &all; }
    Priorities all;
};

TEST(ChangeOfPriorities, TheFormerJobIsPutBackFirst) {
    using Words = std::vector<std::string>;
    ClusterWithPriorities cluster;
    std::vector<rms::RaiseAnswer> answers;
    const auto note = [&answers](const rms::RaiseAnswer& one) { answers.push_back(one); };
    change_priorities(cluster, {policy::WaitingJobId{6}, seven}, note);
    EXPECT_EQ(cluster.all.log, (Words{"put back 6", "raise 7"}));
    change_priorities(cluster, {seven, {}}, note);
    EXPECT_EQ(cluster.all.log, (Words{"put back 6", "raise 7", "put back 7"}));
    EXPECT_EQ(answers, (std::vector<rms::RaiseAnswer>{rms::Raised{}, rms::NotRaised{}}));
}

TEST(ChangeOfPriorities, AClusterWithoutThemGoesOn) {
    rms::Cluster cluster;
    int answers = 0;
    change_priorities(cluster, {policy::WaitingJobId{6}, seven}, [&](const rms::RaiseAnswer& one) {
        EXPECT_EQ(one, rms::RaiseAnswer{rms::NotRaised{}});
        ++answers;
    });
    EXPECT_EQ(answers, 1);
}

// --- others

TEST_F(JobPolicyTest, APersonIsNotUndoneAtOnce) {
    EXPECT_FALSE(policy_.is_suspended(0));
    policy_.suspend(2, "a person", 1);
    EXPECT_TRUE(policy_.is_suspended(JobPolicy::suspension_s));
    EXPECT_FALSE(policy_.is_suspended(1 + JobPolicy::suspension_s));
    EXPECT_NE(policy_.records().back().decision.why.find("a person"), std::string::npos);
}

TEST_F(JobPolicyTest, AnOutcomeIsRecordedWhenItComesLate) {
    ASSERT_TRUE(decide(2, 3));
    policy_.suspend(2, "cancelled by a person", 1);
    policy_.answered(1, {ReplyKind::rolled_back, "cancelled"});
    EXPECT_EQ(policy_.records().front().outcome, "cancelled");
    EXPECT_TRUE(policy_.records().back().outcome.empty());
}

TEST_F(JobPolicyTest, EqualDecisionsAreOneRecord) {
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(decide(2, 0));
    ASSERT_EQ(policy_.records().size(), 1U);
    const auto& record = policy_.records().back();
    EXPECT_EQ(record.times, 3);
    EXPECT_EQ(record.first_s, 0);
    EXPECT_EQ(record.last_s, 2);
    EXPECT_FALSE(decide(3, 0));
    EXPECT_EQ(policy_.records().size(), 2U);
}

TEST_F(JobPolicyTest, OnlySoManyRecordsAreKept) {
    for (int i = 1; i < 200; ++i) EXPECT_FALSE(decide(i, 0));
    EXPECT_EQ(policy_.records().size(), JobPolicy::kept_records);
    EXPECT_EQ(policy_.records().back().ranks, 199);
}

TEST_F(JobPolicyTest, WhatFailsIsTriedLessAndLessOften) {
    EXPECT_EQ(policy_.pause(), 5s);
    for (const auto pause : {10s, 20s, 40s, 60s, 60s}) {
        ASSERT_TRUE(decide(2, 1));
        policy_.answered(policy_.records().back().number, {ReplyKind::refused, "no host came"});
        EXPECT_EQ(policy_.records().back().outcome, "no host came");
        EXPECT_EQ(policy_.pause(), pause);
    }
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(decide(2, 1));
        policy_.answered(policy_.records().back().number, {ReplyKind::rolled_back, "no"});
    }
    EXPECT_EQ(policy_.pause(), 60s);
    EXPECT_FALSE(decide(2, 0));  // nothing to do is no failure
    EXPECT_EQ(policy_.pause(), 5s);
}

TEST_F(JobPolicyTest, AReplyToAnEarlierDecisionChangesNothing) {
    ASSERT_TRUE(decide(2, 1));
    policy_.answered(7, {ReplyKind::done, {}});
    EXPECT_FALSE(policy_.rests());
    policy_.answered(1, {ReplyKind::done, {}});
    policy_.answered(1, {ReplyKind::failed, "late"});
    EXPECT_EQ(policy_.records().back().outcome, "done");
}

TEST_F(JobPolicyTest, APolicyThatCannotDecideIsAskedLessAndLessOften) {
    policy_.looks();
    policy_.cannot_decide(2, "squeue does not answer", 3);
    EXPECT_TRUE(policy_.rests());
    EXPECT_EQ(policy_.records().back().decision.why, "squeue does not answer");
    EXPECT_EQ(policy_.pause(), 10s);
}

TEST_F(JobPolicyTest, APolicyGivesWayToOthers) {
    policy_.looks();
    policy_.gives_way();
    EXPECT_TRUE(policy_.rests());
    EXPECT_TRUE(policy_.records().empty());
}

}  // namespace
}  // namespace ductile::broker::job_policy_test
