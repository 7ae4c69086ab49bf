#include "rms/slurm_queue.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"
#include "slurm_recorded.hpp"

namespace ductile::rms::slurm_queue_test {
namespace {

using Waiting = std::vector<policy::WaitingJob>;

policy::WaitingJob job(std::uint64_t id, int hosts) {
    return {policy::WaitingJobId{id}, hosts};
}

Waiting waiting_jobs(std::string_view output) {
    constexpr int cpus_per_host = 4;
    return parse_waiting_jobs(output, cpus_per_host);
}

// As squeue of Slurm 22.05.8 prints them.
TEST(SlurmQueue, JobsThatWaitForHostsAreFoundInTheirOrder) {
    EXPECT_EQ(waiting_jobs("12|3||Resources|N/A|(null)|wrap\n9|1||Priority|N/A|(null)|a "
                           "b\n20|2||None|N/A|(null)|x\n"),
              (Waiting{job(12, 3), job(9, 1), job(20, 2)}));
    EXPECT_EQ(waiting_jobs(""), Waiting{});
}

TEST(SlurmQueue, ALaterSlurmListsWaitingJobsPrioritiesAndHosts) {
    EXPECT_EQ(waiting_jobs(recorded::slurm_24_11::waiting),
              (Waiting{job(8, 3), {policy::WaitingJobId{5}, 1, "3-9%2"}, job(4, 2), job(3, 3)}));
    const auto priorities = parse_priorities(recorded::slurm_24_11::priorities);
    ASSERT_EQ(priorities.size(), 8u);
    EXPECT_EQ(priorities[6], (JobPriority{policy::WaitingJobId{3}, 1, 5}));
    EXPECT_EQ(priorities[7], (JobPriority{policy::WaitingJobId{10}, 0, 0}));  // held
    EXPECT_EQ(parse_hosts(recorded::slurm_24_11::hosts), (SeenHosts{1, 4}));
    EXPECT_EQ(parse_hosts(recorded::slurm_24_11::hosts_drained), (SeenHosts{0, 4}));
}

TEST(SlurmQueue, JobsThatWaitForSomethingElseAreLeftOut) {
    for (const char* reason : {"Dependency", "BeginTime", "JobHeldUser", "JobHeldAdmin",
                               "QOSMaxJobsPerUserLimit", "PartitionTimeLimit", "JobArrayTaskLimit"})
        EXPECT_EQ(waiting_jobs("12|3||" + std::string(reason) + "|N/A|(null)|wrap\n"), Waiting{})
            << reason;
}

TEST(SlurmQueue, TasksOfAnArrayThatWaitAreNamed) {
    EXPECT_EQ(waiting_jobs("12|1||Resources,Priority|[3-9%2]  |(null)  |a  \n"),
              (Waiting{{policy::WaitingJobId{12}, 1, "[3-9%2]"}}));
    EXPECT_EQ(waiting_jobs("12|1||JobArrayTaskLimit,Dependency|[3-9]|(null)|a\n"), Waiting{});
}

TEST(SlurmQueue, SidecarsOfAnyJobAreNoWaitingJobs) {
    EXPECT_EQ(waiting_jobs("12|1||Resources|N/A|for 7|ductile-pol-1\n"), Waiting{});
    EXPECT_EQ(waiting_jobs("12|1||Resources|N/A     |for 7     |ductile-pol-1    \n"), Waiting{});
    // These only look a little like a sidecar.
    EXPECT_EQ(waiting_jobs("12|1||Resources|N/A|for 7|mine\n13|1||Resources|N/A|(null)|ductile-x\n"
                           "14|1||Resources|N/A|for me|ductile-x\n"),
              (Waiting{job(12, 1), job(13, 1), job(14, 1)}));
}

TEST(SlurmQueue, TextsOfUsersDoNoHarm) {
    EXPECT_EQ(waiting_jobs("12|3||Resources|N/A|a|b|c|d|e\n"), Waiting{job(12, 3)});
    EXPECT_EQ(waiting_jobs("|||\nx|3||Resources|N/A|c|n\n12|-1||Resources|N/"
                           "A|c|n\n12|99999999||Resources|N/A|c|n\n"
                           "no line\n12|3\n13|1||Resources|N/A|c|n"),
              Waiting{job(13, 1)});
}

// What squeue 22.05.8 prints for --nodes=3-5 --ntasks-per-node=4, --nodes=3-5, -n 5 and --nodes=6
// --exclusive, and texts that cannot be read.
TEST(SlurmQueue, AJobThatAsksForARangeNeedsItsLeastNumberOfHosts) {
    for (const auto& [fields, hosts] :
         std::vector<std::pair<std::string, int>>{{"5|cpu=12,mem=3000M,node=3,billing=12", 3},
                                                  {"5|cpu=1,mem=3000M,node=3,billing=1", 3},
                                                  {"2|cpu=5,mem=1000M,node=1,billing=5", 2},
                                                  {"6|cpu=6,mem=6000M,node=6,billing=6", 6},
                                                  {"5|cpu=40,node=1", 5},
                                                  {"5|billing=1,node=2", 5},
                                                  {"5|cpu=x,node=2", 5},
                                                  {"5|cpu=0,node=0", 1},
                                                  {"5|xnode=1,cpu=1,nodes=1", 5}})
        EXPECT_EQ(waiting_jobs("12|" + fields + "|Resources|N/A|(null)|a\n"),
                  Waiting{job(12, hosts)})
            << fields;
}

// Slurm 22.05: an array, two jobs of a user, and one that may run in two partitions.
TEST(SlurmQueue, JobsOfAllUsersAreRead) {
    EXPECT_EQ(parse_site_jobs("5|0|1|PENDING|main|\n4|65534|1|PENDING|main|\n1|0|1|RUNNING|main|\n"
                              "6|0|2|PENDING|main,night|\n"),
              (std::vector<SiteJob>{
                  {SlurmJob{5}, 0, 1, true, "main"},
                  {SlurmJob{4}, 65534, 1, true, "main"},
                  {SlurmJob{1}, 0, 1, false, "main"},
                  {SlurmJob{6}, 0, 2, true, "main,night"},
              }));
    EXPECT_TRUE(parse_site_jobs("5|0|1|RUNNING\nx|0|1|RUNNING|main|\n5|-1|1|RUNNING|main|\n"
                                "5|0|9999999|RUNNING|main|\n\n")
                    .empty());
}

TEST(SlurmQueue, SidecarsAreKnownByCommentAndName) {
    using Sidecars = std::map<SlurmJob, SlurmJob>;
    EXPECT_EQ(parse_sidecars("5|(null)          |wrap     |5|\n2|for 1           |ductile-x|2|\n"
                             "3|for 1           |wrap     |3|\n"),
              (Sidecars{{SlurmJob{2}, SlurmJob{1}}}));
    // A comment with newlines cannot make another job a sidecar.
    EXPECT_EQ(parse_sidecars("2|\n9|for 1         |ductile-x|2|\n"), Sidecars{});
    EXPECT_EQ(parse_sidecars("2|\n9|for 1         |ductile-|\n|2|\n"), Sidecars{});
}

// Anybody can give a job the comment and the name of a sidecar.
TEST(SlurmQueue, ASidecarHasOneHostAndTheUserAndPartitionOfItsParent) {
    const std::vector<SiteJob> jobs{
        {SlurmJob{1}, 1000, 2, false, "main"}, {SlurmJob{2}, 1000, 1, false, "main"},
        {SlurmJob{3}, 1000, 1, true, "main"},  {SlurmJob{4}, 1001, 1, true, "main"},
        {SlurmJob{5}, 1000, 2, true, "main"},  {SlurmJob{6}, 1000, 1, true, "night"},
        {SlurmJob{7}, 1000, 1, true, "main"}};
    std::map<SlurmJob, SlurmJob> named;
    for (std::uint32_t sidecar = 2; sidecar <= 6; ++sidecar) named[SlurmJob{sidecar}] = SlurmJob{1};
    named[SlurmJob{7}] = SlurmJob{2};  // which is a sidecar itself
    named[SlurmJob{8}] = SlurmJob{1};  // which has ended
    EXPECT_EQ(sidecars_among(jobs, named), (std::map<SlurmJob, SlurmJob>{
                                               {SlurmJob{2}, SlurmJob{1}},
                                               {SlurmJob{3}, SlurmJob{1}},
                                           }));
}

TEST(SlurmQueue, PrioritiesAreRead) {
    EXPECT_EQ(parse_priorities("9|1200|0\n12|1000|-200\n13|4294901759|2147483645\n"),
              (std::vector<JobPriority>{{policy::WaitingJobId{9}, 1200, 0},
                                        {policy::WaitingJobId{12}, 1000, -200},
                                        {policy::WaitingJobId{13}, 4294901759, 2147483645}}));
    EXPECT_EQ(parse_priorities("9|1200\nx|1|0\n9||0\n9|1|--1\n9|1|-\n|||\n\n"),
              std::vector<JobPriority>{});
}

TEST(SlurmQueue, ANiceValueRaisesAJobAboveAllOthers) {
    struct Case {
        std::vector<JobPriority> jobs;
        std::optional<NiceChange> change;  ///< of job 7
    };
    const auto of = [](std::uint64_t id, std::int64_t priority, std::int64_t nice = 0) {
        return JobPriority{policy::WaitingJobId{id}, priority, nice};
    };
    const std::vector<Case> cases{
        {{of(7, 5)}, NiceChange{0, 0}},
        {{of(7, 5, 3), of(8, 5)}, NiceChange{3, 3}},  // 7 is older than 8
        {{of(8, 5), of(7, 5)}, NiceChange{0, -1000}},
        {{of(8, 1000), of(9, 20), of(7, 10)}, NiceChange{0, -1990}},
        {{of(8, 1000), of(7, 10, 100)}, NiceChange{100, -1890}},
        {{of(8, 1000), of(7, 10, -50)}, NiceChange{-50, -2040}},
        {{of(8, 1000), of(7, 1, 100)}, NiceChange{100, -2000}},  // Slurm shows 1 for less, too
        {{of(8, 4294967294), of(7, 4294967290)}, NiceChange{0, -5}},
        {{of(8, 4294967295), of(7, 4294967290)}, std::nullopt},  // there is no priority above that
        {{of(8, 2147482645), of(7, 1)}, NiceChange{0, -2147483645}},
        {{of(8, 2147482646), of(7, 1)}, std::nullopt},  // there is no nice value below that
    };
    for (const auto& one : cases)
        EXPECT_EQ(raised_above(one.jobs, policy::WaitingJobId{7}), one.change)
            << one.jobs.front().priority;
}

TEST(SlurmQueue, OnlyIdleHostsCount) {
    EXPECT_EQ(parse_hosts("3|idle|4\n"), (SeenHosts{3, 4}));
    EXPECT_EQ(parse_hosts("3|idle|8\n2|idle*|8\n1|idle~|8\n4|planned|8\n2|idle|8\n"),
              (SeenHosts{5, 8}));
    EXPECT_EQ(parse_hosts("3|idle|16\n2|allocated|4\n"), (SeenHosts{3, 4, false}));
    EXPECT_EQ(parse_hosts("3|idle|4+\n0|n/a|0\n"), (SeenHosts{3, 4, false}));
    EXPECT_EQ(parse_hosts("3|idle|4\n0|n/a|0\n"), (SeenHosts{3, 4, true}));
    EXPECT_EQ(parse_hosts(""), (SeenHosts{0, 1}));
    for (const char* bad : {"idle|4\n", "x|idle|4\n", "-1|idle|4\n", "1048576|idle|4\n1|idle|4\n",
                            "1|idle\n", "1|idle|0\n", "1|idle|+\n"})
        EXPECT_THROW(parse_hosts(bad), InputError) << bad;
}

}  // namespace
}  // namespace ductile::rms::slurm_queue_test
