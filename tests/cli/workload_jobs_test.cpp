// What a study tells Slurm about its jobs, and what it keeps of them.
#include <gtest/gtest.h>

#include "cli/workload/job_record.hpp"
#include "cli/workload/records_json.hpp"
#include "cli/workload/submission.hpp"
#include "ductile/error.hpp"

namespace ductile::cli::workload_jobs_test {
namespace {

using Words = std::vector<std::string>;

workload::Study study() {
    workload::Study study;
    study.hosts = 4;
    study.time_scale = 0.5;
    study.inhibitor_points = 3;
    workload::JobClass small;
    small.name = "small";
    small.min_hosts = 1;
    small.iterations = 20;
    small.iteration_s = {{1, 8}, {2, 4}, {3, 4}};
    small.data_mib = 2.5;
    study.classes = {small};
    return study;
}

workload::Job job(bool rigid = false) {
    return {workload::JobNumber{7}, workload::ClassIndex{0}, 1.5, rigid};
}

const RunPlace place{"w123456-merge-2-", "/data/my study", "/opt/ductile", "/opt/paced", 1};

bool has(const Words& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
}

std::string script(const Words& words) {
    for (const auto& word : words)
        if (word.starts_with("--wrap=")) return word;
    return {};
}

TEST(Submission, AMalleableJobStartsOnItsSmallestNumberOfHosts) {
    const auto words = submission(study(), job(), *configuration_named("merge-background"), place);
    EXPECT_EQ(words.front(), "sbatch");
    EXPECT_TRUE(has(words, "--nodes=1"));
    EXPECT_TRUE(has(words, "--job-name=w123456-merge-2-07"));
    EXPECT_TRUE(has(words, "--output=/data/my study/07.out"));
    EXPECT_TRUE(has(words, "--time=5")) << "2 minutes, and twice 20 iterations of 4 s";
    EXPECT_EQ(script(words),
              "--wrap=exec /opt/ductile run --slurm-job=here --name w123456-merge-2-07 --events "
              "'/data/my study/07.events' --ranks-per-host 1 -n 1 --min 1 --max 2 --policy natural "
              "--policy-every 5 --inhibitor-points 3 --method merge --overlap background -- "
              "/opt/paced --iterations 20 --curve 1:8,2:4,3:4 --scale 0.5 --mib 2.5");
}

TEST(Submission, AMoldableJobStartsOnAsManyHostsAsSlurmHas) {
    auto moldable = study();
    moldable.moldable = true;
    auto four_cpus = place;
    four_cpus.cpus_per_host = 4;
    const auto words = submission(moldable, job(), *configuration_named("merge"), four_cpus);
    EXPECT_TRUE(has(words, "--nodes=1-2"));
    EXPECT_TRUE(has(words, "--ntasks-per-node=4"));
    EXPECT_FALSE(has(words, "--exclusive")) << "Slurm would not take a host back";
    EXPECT_NE(script(words).find(" -n 1:2 --min 1 --max 2 "), std::string::npos) << script(words);
    EXPECT_NE(script(words).find(" --shrink-slurm-job=yes -- "), std::string::npos);
    EXPECT_EQ(submission(moldable, job(true), *configuration_named("merge"), four_cpus),
              submission(study(), job(true), *configuration_named("merge"), four_cpus));
}

TEST(Submission, TheDuctiledOfASiteDecides) {
    auto of_site = study();
    of_site.site = "/etc/site.toml";
    const auto text = script(submission(of_site, job(), *configuration_named("merge"), place));
    EXPECT_NE(text.find(" --policy site "), std::string::npos) << text;
    EXPECT_NE(text.find(" --site=/etc/site.toml -- "), std::string::npos) << text;
}

TEST(Submission, APolicyDecidesAtMostTenTimesASecond) {
    auto fast = study();
    fast.time_scale = 0.001;
    const auto words = submission(fast, job(), *configuration_named("merge"), place);
    EXPECT_NE(script(words).find("--policy-every 0.1 "), std::string::npos) << script(words);
}

TEST(Submission, ARigidJobHasTheLargestEfficientNumberOfHosts) {
    const auto fixed = submission(study(), job(), *configuration_named("static"), place);
    EXPECT_TRUE(has(fixed, "--nodes=2"));
    EXPECT_NE(script(fixed).find("-n 2 -- /opt/paced"), std::string::npos) << script(fixed);
    EXPECT_EQ(script(fixed).find("--policy"), std::string::npos);
    EXPECT_EQ(submission(study(), job(true), *configuration_named("merge"), place), fixed);
}

TEST(Submission, AClassMayHaveAProgramOfItsOwn) {
    auto own = study();
    own.classes.front().command = {"./cg", "--matrix", "a b"};
    EXPECT_NE(script(submission(own, job(), *configuration_named("static"), place))
                  .find("-- ./cg --matrix 'a b'"),
              std::string::npos);
}

// --- records

rms::AccountedJob slurm_job(const std::string& name, int hosts, std::optional<std::int64_t> start,
                            std::int64_t end) {
    return {rms::SlurmJob{1}, name, "COMPLETED", hosts, 100, start, end, {}};
}

std::vector<std::pair<double, int>> held(const workload::JobRecord& record) {
    std::vector<std::pair<double, int>> steps;
    for (const auto& one : record.hosts) steps.emplace_back(one.time_s, one.hosts);
    return steps;
}

TEST(JobRecord, AddsTheHostsOfItsSidecars) {
    const auto record =
        job_record(workload::JobNumber{7}, "small", slurm_job("a", 2, 110, 150),
                   {slurm_job("s", 1, 120, 130), slurm_job("s", 1, 130, 152),
                    slurm_job("s", 1, 125, 140), slurm_job("never", 1, std::nullopt, 145)},
                   std::nullopt, *configuration_named("merge"));
    EXPECT_EQ(held(record), (std::vector<std::pair<double, int>>{
                                {110, 2}, {120, 3}, {125, 4}, {140, 3}, {150, 1}}));
    EXPECT_EQ(record.submit_s, 100);
    EXPECT_EQ(record.start_s, 110);
    EXPECT_EQ(record.end_s, 152) << "when its last host is free";
    EXPECT_TRUE(record.succeeded);
}

TEST(JobRecord, AJobMayGiveUpItsOwnHosts) {
    auto own = slurm_job("a", 1, 110, 150);
    own.earlier = {{4, 110, 120}, {3, 120, 130}};
    const auto record =
        job_record(workload::JobNumber{7}, "small", own, {slurm_job("s", 1, 130, 140)},
                   std::nullopt, *configuration_named("merge"));
    EXPECT_EQ(held(record),
              (std::vector<std::pair<double, int>>{{110, 4}, {120, 3}, {130, 2}, {140, 1}}));
}

TEST(JobRecord, AJobThatWasCancelledFailed) {
    auto own = slurm_job("a", 2, std::nullopt, 150);
    own.state = "CANCELLED by 0";
    const auto record = job_record(workload::JobNumber{7}, "small", own, {}, std::nullopt,
                                   *configuration_named("static"));
    EXPECT_FALSE(record.succeeded);
    EXPECT_TRUE(record.hosts.empty());
    EXPECT_EQ(record.start_s, record.end_s);
}

report::Timeline history() {
    report::Timeline timeline;
    timeline.paces = {{1, 10, 0, 1}, {2, 20, 0, 1}, {4, 20, 0, 1}, {5, 25, 0, 2}};
    report::Resize done;
    done.at_s = 4.5;
    done.total_s = 3;
    done.stall_s = 0.5;
    done.redistribute_s = 0.25;
    done.outcome = "done";
    done.hosts_before = {"n1"};
    done.hosts_after = {"n1", "n2"};
    done.since_accepted_s = {{"launched", 0.5}, {"ready", 2}, {"done", 3}};
    auto undone = done;
    undone.outcome = "rolled_back";
    timeline.resizes = {done, undone};
    return timeline;
}

TEST(JobRecord, KeepsTheResizesThatWereDone) {
    const auto record = job_record(workload::JobNumber{7}, "small", slurm_job("a", 1, 110, 150), {},
                                   history(), *configuration_named("baseline-background"));
    ASSERT_EQ(record.resizes.size(), 1u);
    const auto& resize = record.resizes.front();
    EXPECT_EQ(resize.method, plan::Method::baseline);
    EXPECT_EQ(resize.old_hosts, 1);
    EXPECT_EQ(resize.new_hosts, 2);
    EXPECT_DOUBLE_EQ(resize.total_s, 3);
    EXPECT_DOUBLE_EQ(resize.spawn_s, 1.5);
    EXPECT_DOUBLE_EQ(resize.redistribution_s, 0.25);
    EXPECT_DOUBLE_EQ(resize.stall_s, 0.5);
    EXPECT_EQ(resize.overlapped_iterations, 5) << "15 iterations at 1.5 s, 20 at 4 s";
    const auto blocking = job_record(workload::JobNumber{7}, "small", slurm_job("a", 1, 110, 150),
                                     {}, history(), *configuration_named("baseline"));
    EXPECT_EQ(blocking.resizes.front().overlapped_iterations, 0);
}

TEST(JobRecord, FindsTheSidecarsOfAJob) {
    const std::vector<rms::AccountedJob> jobs{slurm_job("w1-merge-1-10", 1, 1, 2),
                                              slurm_job("ductile-w1-merge-1-10-3f9c1a20", 1, 1, 2),
                                              slurm_job("ductile-w1-merge-1-100-3f9c1a20", 1, 1, 2),
                                              slurm_job("ductile-w1-merge-1-1-3f9c1a20", 1, 1, 2)};
    const auto found = sidecars_of("w1-merge-1-10", jobs);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().name, "ductile-w1-merge-1-10-3f9c1a20");
}

TEST(Records, AreReadAsTheyWereWritten) {
    const auto one = job_record(workload::JobNumber{7}, "small", slurm_job("a", 2, 110, 150),
                                {slurm_job("s", 1, 120, 130)}, history(),
                                *configuration_named("baseline-background"));
    const auto text = records_text({one});
    const auto again = parse_records(text, "records.json");
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(records_text(again), text);
    EXPECT_EQ(held(again.front()), held(one));
    EXPECT_EQ(again.front().resizes.size(), 1u);
}

TEST(Records, OtherTextIsRefusedWithTheFile) {
    for (const char* text : {"", "{}", "[]", R"({"version": 2, "jobs": []})",
                             R"({"version": 1, "jobs": [{"number": 1}]})"}) {
        try {
            static_cast<void>(parse_records(text, "my/records.json"));
            FAIL() << text;
        } catch (const InputError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("my/records.json: ")) << error.what();
        }
    }
}

}  // namespace
}  // namespace ductile::cli::workload_jobs_test
