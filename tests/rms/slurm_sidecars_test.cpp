#include "rms/slurm_sidecars.hpp"

#include <gtest/gtest.h>

namespace ductile::rms::slurm_sidecars_test {
namespace {

constexpr SlurmJob parent{1}, first{2}, second{3};
constexpr SidecarId one{1}, two{2};
constexpr RequestId ask{7};

ShownJob parent_job() {
    ShownJob job;
    job.job = parent;
    job.user = 1000;
    job.state = "RUNNING";
    job.partition = "main";
    job.hosts = {{{"a", 4}, {"b", 2}}};
    return job;
}

ListedJob row(SlurmJob job, const std::string& state, const std::string& host = {}) {
    return {job, state, 4, host, "None"};
}

SubmitSidecar submit(SidecarId sidecar) {
    return {sidecar, {}};
}
TellJob granted(const std::string& host, bool last = true, int slots = 4) {
    return {Granted{ask, {{host, slots}}, last}};
}
TellJob denied(const std::string& why) {
    return {Denied{ask, why}};
}
TellJob revoked(const std::string& host) {
    return {Revoked{host, std::chrono::milliseconds(0)}};
}

class SlurmSidecarsTest : public ::testing::Test {
  protected:
    using Effects = SidecarEffects;

    Effects list(const std::vector<ListedJob>& jobs) {
        sidecars.listing_begins();
        return sidecars.listed(jobs);
    }
    /// Submits a sidecar. It gets the number `first` and waits.
    void let_one_wait() {
        ASSERT_EQ(sidecars.request(ask, {1, {}}), Effects{submit(one)});
        ASSERT_EQ(sidecars.submitted(one, first), Effects{});
    }
    void let_one_run() {
        let_one_wait();
        ASSERT_EQ(list({row(first, "RUNNING", "c")}), Effects{granted("c")});
    }

    SlurmSidecars sidecars{parent_job(), parent_job().hosts, ParentRules{}};
};

// --- the life of a sidecar

TEST_F(SlurmSidecarsTest, AHostComesAndGoes) {
    let_one_wait();
    EXPECT_TRUE(sidecars.awaits_slurm());
    EXPECT_EQ(list({row(first, "PENDING")}), Effects{});
    EXPECT_EQ(list({row(first, "CONFIGURING", "c")}), Effects{});
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{granted("c")});
    EXPECT_EQ(sidecars.job_of("c"), first);
    EXPECT_FALSE(sidecars.awaits_slurm());
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{});
    EXPECT_EQ(sidecars.release("c"), Effects{CancelSidecar{first}});
    EXPECT_EQ(sidecars.release("c"), Effects{});
    EXPECT_TRUE(sidecars.awaits_slurm());
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{});
    EXPECT_EQ(list({row(first, "CANCELLED", "c")}), Effects{});
    EXPECT_TRUE(sidecars.all().empty());
    EXPECT_EQ(sidecars.job_of("c"), std::nullopt);
}

TEST_F(SlurmSidecarsTest, AMergedHostIsOneOfTheParent) {
    ASSERT_EQ(sidecars.request(ask, {1, {}}), Effects{submit(one)});
    EXPECT_EQ(sidecars.merged(one, {"c", 4}), Effects{granted("c")});
    EXPECT_TRUE(sidecars.all().empty());
    EXPECT_EQ(sidecars.job_of("c"), parent);
    EXPECT_EQ(sidecars.release("c"), Effects{});
    EXPECT_TRUE(sidecars.parent().is_to_shrink()) << "although no agent was started there";
}

TEST_F(SlurmSidecarsTest, AMergedHostThatNobodyWantsAnyMoreLeaves) {
    ASSERT_EQ(sidecars.request(ask, {1, {}}), Effects{submit(one)});
    ASSERT_EQ(sidecars.cancel(ask).size(), 1U);
    EXPECT_EQ(sidecars.merged(one, {"c", 4}), Effects{});
    EXPECT_TRUE(sidecars.parent().is_to_shrink());
    EXPECT_EQ(sidecars.merged(one, {"c", 4}), Effects{}) << "it is not known any more";
}

TEST_F(SlurmSidecarsTest, HostsComeOneByOne) {
    EXPECT_EQ(sidecars.request(ask, {2, {}}), (Effects{submit(one), submit(two)}));
    EXPECT_EQ(sidecars.request(ask, {2, {}}), Effects{}) << "the same request again";
    EXPECT_EQ(sidecars.submitted(two, second), Effects{});
    EXPECT_EQ(list({row(second, "RUNNING", "d")}), Effects{granted("d", false)});
    EXPECT_EQ(sidecars.submitted(one, first), Effects{});
    EXPECT_EQ(list({row(second, "RUNNING", "d"), row(first, "RUNNING", "c")}),
              Effects{granted("c")});
}

TEST_F(SlurmSidecarsTest, WhatIsAskedOfAHostIsAskedOfSlurm) {
    const HostConstraints constraints{3, {"x"}};
    EXPECT_EQ(sidecars.request(ask, {1, constraints}), (Effects{SubmitSidecar{one, constraints}}));
}

// --- the parent's own hosts

TEST_F(SlurmSidecarsTest, TheParentsHostsAreUsedAgainBeforeOthers) {
    EXPECT_EQ(sidecars.job_of("b"), parent);
    EXPECT_EQ(sidecars.release("b"), Effects{});
    EXPECT_EQ(sidecars.request(ask, {1, {}}), Effects{granted("b", true, 2)});
    EXPECT_EQ(sidecars.release("b"), Effects{});
    EXPECT_EQ(sidecars.release("a"), Effects{});
    EXPECT_EQ(sidecars.request(RequestId{8}, {1, {3, {"a"}}}),
              (Effects{SubmitSidecar{one, {3, {"a"}}}}))
        << "b is too small, and a is not wanted";
}

TEST_F(SlurmSidecarsTest, APartOfARequestMayBeThere) {
    EXPECT_EQ(sidecars.release("b"), Effects{});
    EXPECT_EQ(sidecars.request(ask, {2, {}}), (Effects{submit(one), granted("b", false, 2)}));
    EXPECT_EQ(sidecars.submitted(one, first), Effects{});
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{granted("c")});
}

// --- before waiting jobs

class BeforeWaitingJobs : public SlurmSidecarsTest {
  protected:
    const HostRequest wish{1, {2, {"x"}}, true};
    const SubmitSidecar first_try{one, {2, {"x"}}, true};
};

TEST_F(BeforeWaitingJobs, AnIdleHostIsGranted) {
    EXPECT_EQ(sidecars.request(ask, wish), Effects{first_try});
    EXPECT_EQ(sidecars.submitted(one, first), Effects{});
    EXPECT_EQ(list({row(first, "PENDING")}), Effects{}) << "Slurm has not looked at it yet";
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{granted("c")});
}

TEST_F(BeforeWaitingJobs, OneThatFindsNoIdleHostGoes) {
    for (const char* reason : {"Resources", "Priority", "ReqNodeNotAvail, May be reserved"}) {
        SlurmSidecars fresh(parent_job(), parent_job().hosts, ParentRules{});
        EXPECT_EQ(fresh.request(ask, wish), Effects{first_try});
        EXPECT_EQ(fresh.submitted(one, first), Effects{});
        auto pending = row(first, "PENDING");
        pending.reason = reason;
        fresh.listing_begins();
        EXPECT_EQ(fresh.listed({pending}),
                  (Effects{CancelSidecar{first}, denied("no host is idle any more")}));
    }
}

TEST_F(BeforeWaitingJobs, OthersWaitInTheQueue) {
    let_one_wait();
    auto pending = row(first, "PENDING");
    pending.reason = "Priority";
    EXPECT_EQ(list({pending}), Effects{});
}

TEST_F(BeforeWaitingJobs, WhoMayNotAskForItWaitsInTheQueue) {
    EXPECT_EQ(sidecars.request(ask, wish), Effects{first_try});
    const auto plain = SubmitSidecar{one, {2, {"x"}}};
    EXPECT_EQ(sidecars.not_submitted(one, "Batch job submission failed: Invalid --nice value"),
              Effects{plain});
    EXPECT_EQ(sidecars.submitted(one, first), Effects{});
    auto pending = row(first, "PENDING");
    pending.reason = "Priority";
    EXPECT_EQ(list({pending}), Effects{});
    EXPECT_EQ(sidecars.request(RequestId{8}, wish), (Effects{SubmitSidecar{two, {2, {"x"}}}}))
        << "it is not asked for again";
}

TEST_F(BeforeWaitingJobs, OneThatIsNotWantedAnyMoreIsNotSubmittedAgain) {
    EXPECT_EQ(sidecars.request(ask, wish), Effects{first_try});
    EXPECT_EQ(sidecars.cancel(ask), Effects{denied("cancelled")});
    EXPECT_EQ(sidecars.not_submitted(one, "Invalid --nice value"), Effects{});
    EXPECT_TRUE(sidecars.all().empty());
}

// --- requests that are not fulfilled

TEST_F(SlurmSidecarsTest, WhatSlurmRefusesIsDenied) {
    EXPECT_EQ(sidecars.request(ask, {2, {}}), (Effects{submit(one), submit(two)}));
    EXPECT_EQ(sidecars.not_submitted(one, "no such partition"), Effects{});
    EXPECT_EQ(sidecars.not_submitted(two, "no partition"), Effects{denied("no partition")});
    EXPECT_TRUE(sidecars.all().empty());
}

TEST_F(SlurmSidecarsTest, OneThatEndsInTheQueueIsDenied) {
    let_one_wait();
    EXPECT_EQ(list({{first, "FAILED", 1, "", "BadConstraints"}}),
              Effects{denied("Slurm job 2 is FAILED (BadConstraints)")});
    EXPECT_TRUE(sidecars.all().empty());
}

TEST_F(SlurmSidecarsTest, OneThatIsNotListedHasEnded) {
    sidecars.listing_begins();
    let_one_wait();
    EXPECT_EQ(sidecars.listed({}), Effects{}) << "the listing began before";
    EXPECT_EQ(list({}), Effects{denied("Slurm job 2 is not known to Slurm any more")});
}

TEST_F(SlurmSidecarsTest, AListingThatFailsSaysNothing) {
    let_one_run();
    sidecars.listing_begins();
    sidecars.listing_begins();
    EXPECT_EQ(sidecars.listed({row(first, "RUNNING", "c")}), Effects{});
    EXPECT_EQ(sidecars.job_of("c"), first);
}

TEST_F(SlurmSidecarsTest, AStateOfALaterSlurmChangesNothing) {
    let_one_wait();
    EXPECT_EQ(list({row(first, "SOMETHING_NEW", "c")}), Effects{});
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{granted("c")});
    EXPECT_EQ(list({row(first, "SOMETHING_NEW", "c")}), Effects{});
}

// --- cancelled requests

TEST_F(SlurmSidecarsTest, ACancelledRequestIsCancelledInSlurm) {
    let_one_wait();
    EXPECT_EQ(sidecars.cancel(ask), (Effects{CancelSidecar{first}, denied("cancelled")}));
    EXPECT_EQ(sidecars.cancel(ask), Effects{denied("cancelled")});
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{})
        << "granted late: it is being cancelled";
    EXPECT_EQ(sidecars.job_of("c"), std::nullopt);
    EXPECT_EQ(list({row(first, "COMPLETING", "c")}), Effects{});
    EXPECT_TRUE(sidecars.all().empty());
}

TEST_F(SlurmSidecarsTest, OneThatIsBeingSubmittedIsCancelledWhenItHasANumber) {
    EXPECT_EQ(sidecars.request(ask, {2, {}}), (Effects{submit(one), submit(two)}));
    EXPECT_EQ(sidecars.cancel(ask), Effects{denied("cancelled")});
    EXPECT_EQ(sidecars.submitted(one, first), Effects{CancelSidecar{first}});
    EXPECT_EQ(sidecars.not_submitted(two, "full"), Effects{}) << "nobody waits for it";
    EXPECT_EQ(list({row(first, "CANCELLED")}), Effects{});
    EXPECT_TRUE(sidecars.all().empty());
}

TEST_F(SlurmSidecarsTest, ACancelThatFailsIsRepeatedOnce) {
    let_one_run();
    EXPECT_EQ(sidecars.release("c"), Effects{CancelSidecar{first}});
    sidecars.not_cancelled(first);
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{CancelSidecar{first}});
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{});
    sidecars.not_cancelled(first);
    EXPECT_EQ(list({row(first, "CANCELLED", "c")}), Effects{}) << "it has ended nevertheless";
}

// --- hosts that are of no use

TEST_F(SlurmSidecarsTest, AHostThatTheJobHasIsNotGrantedAgain) {
    let_one_wait();
    const std::string why = "Slurm job 2 is of no use: Ductile's job already uses its host a";
    EXPECT_EQ(list({row(first, "RUNNING", "a")}),
              (Effects{CancelSidecar{first}, TellUser{why}, denied(why)}));
}

TEST_F(SlurmSidecarsTest, AHostWithANameForAShellIsRefused) {
    let_one_wait();
    const std::string why =
        "Slurm job 2 is of no use: a list of hosts from Slurm is refused: 'c;reboot' is no host "
        "name";
    EXPECT_EQ(list({row(first, "RUNNING", "c;reboot")}),
              (Effects{CancelSidecar{first}, TellUser{why}, denied(why)}));
}

TEST_F(SlurmSidecarsTest, ASidecarHasOneHost) {
    let_one_wait();
    const auto effects = list({row(first, "RUNNING", "c[1-2]")});
    ASSERT_EQ(effects.size(), 3u);
    EXPECT_EQ(effects[1],
              (SidecarEffect{TellUser{"Slurm job 2 is of no use: it has 2 hosts, not 1"}}));
}

// --- hosts that Slurm takes back

TEST_F(SlurmSidecarsTest, AHostThatFailsIsTakenBack) {
    let_one_run();
    EXPECT_EQ(list({row(first, "NODE_FAIL", "c")}), Effects{revoked("c")});
    EXPECT_EQ(list({row(first, "NODE_FAIL", "c")}), Effects{});
    EXPECT_EQ(sidecars.job_of("c"), first) << "its agent may still be ended";
    EXPECT_EQ(sidecars.release("c"), Effects{}) << "there is nothing to cancel";
    EXPECT_TRUE(sidecars.all().empty());
}

TEST_F(SlurmSidecarsTest, OneThatIsForgottenIsTakenBack) {
    let_one_run();
    EXPECT_EQ(list({}), Effects{revoked("c")});
}

TEST_F(SlurmSidecarsTest, OneThatIsQueuedAgainIsTakenBackAndCancelled) {
    let_one_run();
    EXPECT_EQ(list({row(first, "PENDING")}), (Effects{revoked("c"), CancelSidecar{first}}));
}

// --- a broker that takes over

TEST_F(SlurmSidecarsTest, ABrokerThatTakesOverFindsItsHosts) {
    SlurmSidecars taken_over(parent_job(), {{{"a", 4}, {"c", 4}, {"d", 4}, {"e", 4}}},
                             ParentRules{});
    EXPECT_TRUE(taken_over.awaits_slurm());
    taken_over.listing_begins();
    EXPECT_EQ(taken_over.release("e"), Effects{}) << "it is found in the listing, and cancelled";
    const auto effects =
        taken_over.listed({row(first, "RUNNING", "c"), row(second, "PENDING"),
                           row(SlurmJob{4}, "CANCELLED", "d"), row(SlurmJob{5}, "RUNNING", "e")});
    EXPECT_EQ(effects, (Effects{CancelSidecar{second}, CancelSidecar{SlurmJob{5}}, revoked("d")}));
    EXPECT_EQ(taken_over.job_of("c"), first);
    EXPECT_EQ(taken_over.request(ask, {1, {}}).back(), (SidecarEffect{granted("b", true, 2)}))
        << "the parent's host that the job does not have is free";
}

TEST_F(SlurmSidecarsTest, OneWhoseNumberIsOnItsWayIsNoStranger) {
    EXPECT_EQ(sidecars.request(ask, {1, {}}), Effects{submit(one)});
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{});
    EXPECT_EQ(sidecars.submitted(one, first), Effects{});
    EXPECT_EQ(list({row(first, "RUNNING", "c")}), Effects{granted("c")});
}

TEST_F(SlurmSidecarsTest, OneThatSeemedToFailIsCancelled) {
    EXPECT_EQ(sidecars.request(ask, {1, {}}), Effects{submit(one)});
    EXPECT_EQ(sidecars.not_submitted(one, "late"), Effects{denied("late")});
    EXPECT_EQ(list({row(first, "PENDING")}), Effects{CancelSidecar{first}});
    EXPECT_EQ(list({row(first, "PENDING")}), Effects{});
}

}  // namespace
}  // namespace ductile::rms::slurm_sidecars_test
