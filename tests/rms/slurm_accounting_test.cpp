#include "rms/slurm_accounting.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::rms::slurm_accounting_test {
namespace {

// As sacct of Slurm 22.05.8 prints them.
TEST(SlurmAccounting, EndedJobsAreRead) {
    EXPECT_EQ(
        parse_accounted_jobs("1|COMPLETED|1|1795802681|1795802683|1795802684|wrap\n"
                             "12|CANCELLED by 0|4|1795802690|1795802691|1795802699|a|b\n"),
        (std::vector<AccountedJob>{
            {SlurmJob{1}, "wrap", "COMPLETED", 1, 1795802681, 1795802683, 1795802684, {}},
            {SlurmJob{12}, "a|b", "CANCELLED by 0", 4, 1795802690, 1795802691, 1795802699, {}}}));
    EXPECT_TRUE(parse_accounted_jobs("").empty());
}

TEST(SlurmAccounting, JobsThatWaitOrRunHaveNoEnd) {
    const auto jobs = parse_accounted_jobs(
        "2|PENDING|2|1795802681|Unknown|Unknown|wrap\n"
        "3|RUNNING|2|1795802681|1795802682|Unknown|wrap\n"
        "4|CANCELLED by 0|2|1795802681|None|1795802690|wrap\n");
    ASSERT_EQ(jobs.size(), 3u);
    EXPECT_EQ(jobs[0].start_s, std::nullopt);
    EXPECT_EQ(jobs[1].start_s, 1795802682);
    EXPECT_EQ(jobs[1].end_s, std::nullopt);
    EXPECT_EQ(jobs[2].start_s, std::nullopt);
    EXPECT_EQ(jobs[2].end_s, 1795802690);
}

TEST(SlurmAccounting, AJobWhoseHostsHaveChangedIsOneJob) {
    const auto jobs = parse_accounted_jobs(
        "1|RESIZING|4|1795803943|1795803946|1795803948|wrap\n"
        "2|COMPLETED|2|1795803944|1795803949|1795803950|wrap\n"
        "1|RESIZING|3|1795803948|1795803948|1795803950|wrap\n"
        "1|COMPLETED|1|1795803950|1795803950|1795803958|wrap\n");
    ASSERT_EQ(jobs.size(), 2u);
    AccountedJob first{SlurmJob{1}, "wrap", "COMPLETED", 1, 1795803943, 1795803946, 1795803958, {}};
    first.earlier = {{4, 1795803946, 1795803948}, {3, 1795803948, 1795803950}};
    EXPECT_EQ(jobs[0], first);
    EXPECT_EQ(jobs[1].job, SlurmJob{2});
    EXPECT_TRUE(jobs[1].earlier.empty());
}

TEST(SlurmAccounting, AJobWhoseLastLineIsNotThereYetHasNotEnded) {
    const auto jobs = parse_accounted_jobs("1|RESIZING|4|3943|3946|3948|wrap\n");
    ASSERT_EQ(jobs.size(), 1u);
    EXPECT_EQ(jobs[0].end_s, std::nullopt);
}

TEST(SlurmAccounting, JobsOfTheQueueAreRead) {
    EXPECT_EQ(parse_queued_jobs("2|PENDING|merge-1-02\n3|RUNNING|a|b\n"),
              (std::vector<QueuedJob>{{SlurmJob{2}, "PENDING", "merge-1-02"},
                                      {SlurmJob{3}, "RUNNING", "a|b"}}));
    for (const char* line : {"x|PENDING|a", "2|PENDING"})
        EXPECT_THROW(static_cast<void>(parse_queued_jobs(line)), InputError) << line;
}

TEST(SlurmAccounting, OtherTextIsRefused) {
    for (const char* line :
         {"x", "0|COMPLETED|1|1|2|3|a", "1|COMPLETED|one|1|2|3|a", "1|COMPLETED|2000000|1|2|3|a",
          "1|COMPLETED|1|2026-11-27T18:04:41|2|3|a", "1|COMPLETED|1|Unknown|2|3|a",
          "1|COMPLETED|1|1|2|-3|a", "1|COMPLETED|1|1|2|3", "sacct: error: slurm_persist_conn_open"})
        EXPECT_THROW(static_cast<void>(parse_accounted_jobs(line)), InputError) << line;
}

}  // namespace
}  // namespace ductile::rms::slurm_accounting_test
