#include "workload/jobs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "studies.hpp"

namespace ductile::workload::jobs_test {
namespace {

// The expected numbers come from another program: MT19937-64 written in Python. It was checked by
// the 10,000th number that the C++ standard states for this generator.
TEST(WorkloadJobs, TheListIsFixedByItsSeed) {
    auto study = paper_study();
    study.jobs = 10;
    study.rigid_share = 0.3;
    const struct {
        int job_class;
        double submit_s;
        bool is_rigid;
    } table[] = {{0, 0.0, true},    {0, 6.0, false},   {2, 30.232, true}, {2, 38.668, true},
                 {2, 46.791, true}, {1, 52.215, true}, {2, 68.473, true}, {2, 71.842, false},
                 {1, 75.498, true}, {0, 76.769, false}};
    const auto jobs = make_jobs(study);
    ASSERT_EQ(jobs.size(), std::size(table));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        EXPECT_EQ(jobs[i].number, JobNumber(static_cast<int>(i) + 1));
        EXPECT_EQ(jobs[i].job_class, ClassIndex(table[i].job_class)) << i;
        EXPECT_DOUBLE_EQ(jobs[i].submit_s, table[i].submit_s) << i;
        EXPECT_EQ(jobs[i].is_rigid, table[i].is_rigid) << i;
    }
}

Study any_study() {
    auto study = paper_study();
    study.seed = *rc::gen::arbitrary<std::uint64_t>();
    study.jobs = *rc::gen::inRange(1, 100);
    study.rigid_share = *rc::gen::inRange(0, 11) / 10.0;
    study.mean_interarrival_s = *rc::gen::inRange(0, 1000) / 10.0;
    return study;
}

RC_GTEST_PROP(WorkloadJobs, EqualSeedsGiveEqualLists, ()) {
    const auto study = any_study();
    const auto jobs = make_jobs(study);
    RC_ASSERT(jobs == make_jobs(study));
    RC_ASSERT(jobs.front().submit_s == 0);
    RC_ASSERT(std::ranges::is_sorted(jobs, {}, &Job::submit_s));
}

RC_GTEST_PROP(WorkloadJobs, ALongerListBeginsWithTheSameJobs, ()) {
    auto study = any_study();
    const auto jobs = make_jobs(study);
    study.jobs += 10;
    const auto more = make_jobs(study);
    RC_ASSERT(std::equal(jobs.begin(), jobs.end(), more.begin()));
    RC_ASSERT(more.size() == jobs.size() + 10);
}

RC_GTEST_PROP(WorkloadJobs, RigidJobsChangeNothingElse, ()) {
    auto study = any_study();
    const auto jobs = make_jobs(study);
    study.rigid_share = 0;
    auto malleable = make_jobs(study);
    RC_ASSERT(std::ranges::none_of(malleable, &Job::is_rigid));
    for (std::size_t i = 0; i < jobs.size(); ++i) malleable[i].is_rigid = jobs[i].is_rigid;
    RC_ASSERT(jobs == malleable);
}

RC_GTEST_PROP(WorkloadJobs, TimesAreScaled, ()) {
    auto study = any_study();
    const auto jobs = make_jobs(study);
    study.time_scale = 0.25;
    const auto scaled = make_jobs(study);
    for (std::size_t i = 0; i < jobs.size(); ++i)
        RC_ASSERT(scaled[i].submit_s == jobs[i].submit_s / 4);
}

// Bounds of four standard deviations: sqrt(p (1 - p) / n) for a share, mean / sqrt(n) for a gap.
// The seeds are fixed, so that chance does not fail the test.
TEST(WorkloadJobs, LikelihoodsAndGapsAreMet) {
    auto study = paper_study();
    study.jobs = 10000;
    study.rigid_share = 0.3;
    const double n = study.jobs;
    const auto bound = [n](double p) { return 4 * std::sqrt(p * (1 - p) / n); };
    for (study.seed = 1; study.seed <= 10; ++study.seed) {
        const auto jobs = make_jobs(study);
        for (std::size_t i = 0; i < study.classes.size(); ++i) {
            const auto count =
                std::ranges::count(jobs, ClassIndex(static_cast<int>(i)), &Job::job_class);
            const double p = study.classes[i].likelihood;
            EXPECT_NEAR(static_cast<double>(count) / n, p, bound(p)) << study.seed;
        }
        const auto rigid = static_cast<double>(std::ranges::count(jobs, true, &Job::is_rigid));
        EXPECT_NEAR(rigid / n, study.rigid_share, bound(study.rigid_share)) << study.seed;
        EXPECT_NEAR(jobs.back().submit_s / (n - 1), 10, 4 * 10 / std::sqrt(n)) << study.seed;
        int below = 0;
        for (std::size_t i = 1; i < jobs.size(); ++i)
            if (jobs[i].submit_s - jobs[i - 1].submit_s < 10) ++below;
        const double share = 1 - std::exp(-1);  // of an exponential distribution, below its mean
        EXPECT_NEAR(below / (n - 1), share, bound(share)) << study.seed;
    }
}

TEST(WorkloadJobs, AClassOfLikelihoodZeroHasNoJobs) {
    auto study = paper_study();
    study.jobs = 1000;
    study.classes[0].likelihood = 0;
    study.classes[1].likelihood = 1;
    study.classes[2].likelihood = 0;
    for (const auto& job : make_jobs(study)) EXPECT_EQ(job.job_class, ClassIndex(1));
}

}  // namespace
}  // namespace ductile::workload::jobs_test
