#include "rms/slurm_output.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ductile/error.hpp"
#include "rms/slurm_time.hpp"
#include "slurm_recorded.hpp"

namespace ductile::rms::slurm_output_test {
namespace {

using namespace std::chrono_literals;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

// --- times

TEST(SlurmTime, IsRead) {
    EXPECT_EQ(parse_slurm_time("00:00:02"), 2s);
    EXPECT_EQ(parse_slurm_time("3:04"), 184s);
    EXPECT_EQ(parse_slurm_time("02:03:04"), 7384s);
    EXPECT_EQ(parse_slurm_time("1-02:03:04"), 93784s);
    EXPECT_EQ(parse_slurm_time("UNLIMITED"), std::nullopt);
    for (const char* text : {"", "5", "-1:00", "1:2:3:4", "1-02", "1-02:03", "a:b", "1:", ":1",
                             "N/A", "INVALID", "1 :00", "1-1-1:00:00", "9999999:00"})
        EXPECT_THROW(static_cast<void>(parse_slurm_time(text)), InputError) << text;
}

// --- scontrol show job

TEST(SlurmOutput, AJobIsShown) {
    const auto job = parse_shown_job(recorded::exclusive_job);
    EXPECT_EQ(job.job, SlurmJob{1});
    EXPECT_EQ(job.user, 0u);
    EXPECT_EQ(job.state, "RUNNING");
    EXPECT_EQ(job.partition, "main");
    EXPECT_EQ(job.account, "root");
    EXPECT_EQ(job.qos, "normal");
    EXPECT_EQ(job.left, 3598s);
    EXPECT_EQ(job.hosts, (core::Allocation{{{"node01", 4}, {"node02", 4}}}));
}

TEST(SlurmOutput, AJobThatWaitsHasNoHosts) {
    const auto job = parse_shown_job(recorded::waiting_job);
    EXPECT_EQ(job.state, "PENDING");
    EXPECT_EQ(job.left, std::nullopt);
    EXPECT_EQ(job.account, "");
    EXPECT_EQ(job.hosts, core::Allocation{});
}

TEST(SlurmOutput, HostsMayHaveUnequalShares) {
    const auto text = replaced(recorded::odd_name, "x NodeList=evil y", "plain");
    EXPECT_EQ(parse_shown_job(text).hosts, (core::Allocation{{{"node01", 4}, {"node02", 2}}}));
}

TEST(SlurmOutput, WithoutDetailsHostsCountAsEqual) {
    const auto text = replaced(recorded::exclusive_job, "  Nodes=node[01-02] CPU_IDs=0-3", "");
    EXPECT_EQ(parse_shown_job(text).hosts, (core::Allocation{{{"node01", 4}, {"node02", 4}}}));
    const auto other =
        replaced(recorded::exclusive_job, " Nodes=node[01-02]", " Nodes=node[01-03]");
    EXPECT_EQ(parse_shown_job(other).hosts, (core::Allocation{{{"node01", 4}, {"node02", 4}}}));
}

TEST(SlurmOutput, ANameThatLooksLikeAFieldIsNotTakenForOne) {
    try {
        static_cast<void>(parse_shown_job(recorded::odd_name));
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_STREQ(
            error.what(),
            "a job that Slurm shows has NodeList= more than once; is it in the job's name or "
            "path?");
    }
}

TEST(SlurmOutput, WhatIsNoJobIsRefused) {
    const std::string good = recorded::exclusive_job;
    for (const auto& text :
         {std::string(), std::string("slurm_load_jobs error: Invalid job id specified\n"),
          good + good, replaced(good, "JobId=1", "JobId=x"), replaced(good, "root(0)", "root"),
          replaced(good, "root(0)", "root(x)"), replaced(good, " Partition=main", ""),
          replaced(good, "Partition=main", "Partition=$(id)"),
          replaced(good, "Partition=main", "Partition=--uid=0"),
          replaced(good, "NodeList=node[01-02]", "NodeList=a;b"),
          replaced(good, "NodeList=node[01-02]", "NodeList=a,a"),
          replaced(good, "TimeLimit=01:00:00", "TimeLimit=soon"),
          replaced(good, "CPU_IDs=0-3", "CPU_IDs=3-0"), good + std::string(70000, 'x')})
        EXPECT_THROW(static_cast<void>(parse_shown_job(text)), InputError) << text.substr(0, 200);
}

// --- squeue

TEST(SlurmOutput, JobsAreListed) {
    EXPECT_EQ(parse_listed_jobs(recorded::listing),
              (std::vector<ListedJob>{{SlurmJob{5}, "PENDING", 1, "", "Resources"},
                                      {SlurmJob{3}, "RUNNING", 4, "node03", "None"},
                                      {SlurmJob{2}, "CANCELLED", 4, "node02", "None"},
                                      {SlurmJob{4}, "FAILED", 1, "", "BadConstraints"}}));
    EXPECT_EQ(parse_listed_jobs(""), std::vector<ListedJob>{});
    // A reason may be any text.
    EXPECT_EQ(parse_listed_jobs("7|PENDING|1||a|b\033").at(0).reason, "a|b\\x1b");
}

TEST(SlurmOutput, LinesThatAreNoJobsAreRefused) {
    for (const char* text :
         {"5", "5|PENDING|1|", "x|PENDING|1||", "0|PENDING|1||", "5|$(id)|1||", "5|PENDING|x||",
          "5|PENDING|-1||", "5||1||", "5|PENDING|1||None\nslurm error", "99999999999|PENDING|1||"})
        EXPECT_THROW(parse_listed_jobs(text), InputError) << text;
}

TEST(SlurmOutput, HostsOfStepsAreListed) {
    EXPECT_EQ(parse_step_hosts("1.batch|node01\n1.extern|node[01-06]\n"), std::set<std::string>{});
    EXPECT_EQ(parse_step_hosts("1.extern|node[01-06]\n1.0|node[01-02]\n1.12|node05\n1.13|\n"),
              (std::set<std::string>{"node01", "node02", "node05"}));
    EXPECT_EQ(parse_step_hosts("1.interactive|node01\n1.2+1|node02\n1.TBD|node03\n"),
              (std::set<std::string>{"node02", "node03"}));
    EXPECT_EQ(parse_step_hosts(""), std::set<std::string>{});
    for (const char* bad : {"no line\n", "1.0|node[1-\n", "1.0|node;rm\n"})
        EXPECT_THROW(parse_step_hosts(bad), InputError) << bad;
}

TEST(SlurmOutput, AJobMayShareItsHosts) {
    EXPECT_TRUE(parse_shown_job(recorded::exclusive_job).is_exclusive);
    EXPECT_FALSE(
        parse_shown_job(replaced(recorded::exclusive_job, "OverSubscribe=NO", "OverSubscribe=OK"))
            .is_exclusive);
    EXPECT_EQ(parse_shown_job(recorded::exclusive_job).batch_host, "node01");
    EXPECT_EQ(parse_shown_job(recorded::waiting_job).batch_host, "");
}

TEST(SlurmOutput, StatesHavePhases) {
    for (const char* state : {"PENDING", "CONFIGURING", "REQUEUED"})
        EXPECT_EQ(phase_of(state), SlurmPhase::waiting) << state;
    for (const char* state : {"RUNNING", "SUSPENDED"})
        EXPECT_EQ(phase_of(state), SlurmPhase::running) << state;
    for (const char* state : {"COMPLETING", "COMPLETED", "CANCELLED", "NODE_FAIL", "TIMEOUT"})
        EXPECT_EQ(phase_of(state), SlurmPhase::ended) << state;
    EXPECT_EQ(phase_of("SOMETHING_NEW"), SlurmPhase::unknown);
}

// --- Slurm 24.11

TEST(SlurmOutput, AJobOfALaterSlurmIsShown) {
    const auto job = parse_shown_job(recorded::slurm_24_11::exclusive_job);
    EXPECT_EQ(job.job, SlurmJob{1});
    EXPECT_EQ(job.state, "RUNNING");
    EXPECT_EQ(job.partition, "main");
    EXPECT_EQ(job.account, "root");
    EXPECT_EQ(job.qos, "normal");
    EXPECT_EQ(job.left, 3600s);
    EXPECT_EQ(job.hosts, (core::Allocation{{{"node01", 4}, {"node02", 4}}}));
    EXPECT_EQ(job.batch_host, "node01");
    EXPECT_TRUE(job.is_exclusive);
    EXPECT_EQ(parse_shown_job(recorded::slurm_24_11::shrunk_job).hosts,
              (core::Allocation{{{"node01", 4}}}));
}

TEST(SlurmOutput, AJobOfALaterSlurmMayShareItsHosts) {
    EXPECT_THROW(static_cast<void>(parse_shown_job(recorded::slurm_24_11::odd_name)), InputError);
    const auto job =
        parse_shown_job(replaced(recorded::slurm_24_11::odd_name, "x NodeList=evil y", "plain"));
    EXPECT_EQ(job.hosts, (core::Allocation{{{"node01", 4}, {"node02", 2}}}));
    EXPECT_FALSE(job.is_exclusive);
}

TEST(SlurmOutput, AJobOfALaterSlurmWaits) {
    const auto job = parse_shown_job(recorded::slurm_24_11::waiting_job);
    EXPECT_EQ(job.state, "PENDING");
    EXPECT_EQ(job.left, std::nullopt);
    EXPECT_EQ(job.hosts, core::Allocation{});
}

TEST(SlurmOutput, ALaterSlurmListsJobsAndSteps) {
    const auto jobs = parse_listed_jobs(recorded::slurm_24_11::listing);
    ASSERT_EQ(jobs.size(), 11u);
    EXPECT_EQ(jobs[0], (ListedJob{SlurmJob{1}, "CANCELLED", 4, "node01", "None"}));
    EXPECT_EQ(jobs[1], (ListedJob{SlurmJob{11}, "FAILED", 40, "", "BadConstraints"}));
    EXPECT_EQ(jobs[8], (ListedJob{SlurmJob{3}, "PENDING", 3, "", "Resources"}));
    EXPECT_EQ(jobs[10], (ListedJob{SlurmJob{2}, "RUNNING", 6, "node[01-02]", "None"}));
    EXPECT_EQ(parse_step_hosts(recorded::slurm_24_11::steps),
              (std::set<std::string>{"node01", "node02"}));
    EXPECT_EQ(parse_slurm_version(recorded::slurm_24_11::version), (SlurmVersion{24, 11}));
}

// --- salloc, sbatch, sinfo

TEST(SlurmOutput, SallocNamesTheJobItHasGot) {
    EXPECT_EQ(parse_granted("salloc: Granted job allocation 123"), SlurmJob{123});
    for (const char* other :
         {"", "salloc: Pending job allocation 123",
          "salloc: job 123 queued and waiting for resources", "salloc: Granted job allocation ",
          "salloc: Granted job allocation 1x",
          "salloc: error: Unable to allocate resources: Requested nodes are busy"})
        EXPECT_EQ(parse_granted(other), std::nullopt) << other;
}

TEST(SlurmOutput, ASubmittedJobHasANumber) {
    EXPECT_EQ(parse_submitted("123\n"), SlurmJob{123});
    EXPECT_EQ(parse_submitted("4294967295;cluster\n"), SlurmJob{4294967295});
    for (const char* text : {"", "\n", "0\n", "-1", "4294967296", "12 13", "Submitted batch job 5"})
        EXPECT_THROW(parse_submitted(text), InputError) << text;
}

TEST(SlurmOutput, AVersionIsRead) {
    EXPECT_EQ(parse_slurm_version(recorded::version), (SlurmVersion{22, 5}));
    EXPECT_EQ(parse_slurm_version("slurm 23.11.10\n"), (SlurmVersion{23, 11}));
    EXPECT_LT(parse_slurm_version("slurm 20.02.7"), (SlurmVersion{20, 11}));
    for (const char* text : {"", "slurm", "slurm x.y.z", "slurm 22", "other 22.05.8"})
        EXPECT_THROW(parse_slurm_version(text), InputError) << text;
}

RC_GTEST_PROP(SlurmOutput, AnyTextIsTakenOrRefused, ()) {
    const auto letter = rc::gen::elementOf(std::string("0123|PENDINGRUa[]-;\n"));
    const auto text = *rc::gen::container<std::string>(letter);
    try {
        for (const auto& job : parse_listed_jobs(text)) RC_ASSERT(job.job.value > 0u);
    } catch (const InputError&) {
    }
}

}  // namespace
}  // namespace ductile::rms::slurm_output_test
