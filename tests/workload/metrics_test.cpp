#include "workload/metrics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace ductile::workload::metrics_test {
namespace {

JobRecord job(const std::string& name, double submit_s, double start_s, double end_s,
              std::vector<HostsHeld> hosts) {
    JobRecord record;
    record.class_name = name;
    record.submit_s = submit_s;
    record.start_s = start_s;
    record.end_s = end_s;
    record.hosts = std::move(hosts);
    return record;
}

// Four hosts:  t = 10  12      16      20      24  30
//   a          |   2   2       4       4  |
//   b              |                      2   2 |
std::vector<JobRecord> two_jobs() {
    std::vector<JobRecord> jobs{job("a", 10, 12, 20, {{12, 2}, {16, 4}}),
                                job("b", 12, 20, 30, {{20, 2}, {24, 1}})};
    jobs[0].resizes = {{plan::Method::merge, 2, 4, 0.5, 0.25, 0.125, 0.0625, 3}};
    jobs[1].resizes = {{plan::Method::merge, 2, 1, 1.5, 0.75, 0.375, 0.25, 0}};
    return jobs;
}

TEST(WorkloadMetrics, ARunIsMeasured) {
    const auto numbers = measure(two_jobs(), 4);
    EXPECT_DOUBLE_EQ(numbers.makespan_s, 20);
    EXPECT_DOUBLE_EQ(numbers.mean_utilisation, (4 * 2 + 4 * 4 + 4 * 2 + 6 * 1) / (4 * 20.0));
    EXPECT_DOUBLE_EQ(numbers.all_submitted_s, 2);
    EXPECT_DOUBLE_EQ(numbers.queue_empty_s, 10);
    EXPECT_EQ(numbers.failed_jobs, 0);
    EXPECT_EQ(numbers.resizes, 2);
    EXPECT_DOUBLE_EQ(numbers.resize_time_s, 2);
    EXPECT_EQ(numbers.overlapped_iterations, 3);
    EXPECT_EQ(numbers.resize_median, (ResizeTimes{1, 0.5, 0.25, 0.15625}));
    EXPECT_EQ(numbers.all_classes, (ClassTimes{"", 2, {5, 9, 14}}));
    EXPECT_EQ(numbers.classes,
              (std::vector<ClassTimes>{{"a", 1, {2, 8, 10}}, {"b", 1, {8, 10, 18}}}));
}

TEST(WorkloadMetrics, UtilisationIsAStepFunction) {
    EXPECT_EQ(utilisation(two_jobs(), 4),
              (std::vector<UtilisationStep>{
                  {10, 0}, {12, 0.5}, {16, 1}, {20, 0.5}, {24, 0.25}, {30, 0}}));
    // One job ends, another begins with as many hosts: no step.
    EXPECT_EQ(utilisation({job("a", 0, 0, 5, {{0, 2}}), job("a", 0, 5, 9, {{5, 2}})}, 4),
              (std::vector<UtilisationStep>{{0, 0.5}, {9, 0}}));
    // A job that never started ends last.
    EXPECT_EQ(utilisation({job("a", 0, 0, 5, {{0, 2}}), job("a", 1, 9, 9, {})}, 4),
              (std::vector<UtilisationStep>{{0, 0.5}, {5, 0}, {9, 0}}));
}

TEST(WorkloadMetrics, AFailedJobHasNoTimes) {
    auto jobs = two_jobs();
    jobs[1].succeeded = false;
    const auto numbers = measure(jobs, 4);
    EXPECT_EQ(numbers.failed_jobs, 1);
    EXPECT_DOUBLE_EQ(numbers.makespan_s, 20);
    EXPECT_EQ(numbers.resizes, 2);
    EXPECT_EQ(numbers.all_classes, (ClassTimes{"", 1, {2, 8, 10}}));
    EXPECT_EQ(numbers.classes,
              (std::vector<ClassTimes>{{"a", 1, {2, 8, 10}}, {"b", 0, {0, 0, 0}}}));
}

TEST(WorkloadMetrics, MediansAreInTheMiddle) {
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 2}), 2);
    EXPECT_EQ(median({9, 1, 2, 4}), 3);
}

RunNumbers run(double makespan_s, double resizes, double resize_s,
               std::vector<ClassTimes> classes) {
    RunNumbers numbers;
    numbers.makespan_s = makespan_s;
    numbers.resizes = resizes;
    numbers.resize_median.total_s = resize_s;
    numbers.classes = std::move(classes);
    numbers.all_classes = numbers.classes.front();
    numbers.all_classes.name = "";
    return numbers;
}

TEST(WorkloadMetrics, RepetitionsHaveMedians) {
    const auto medians = medians_of({run(30, 2, 0.5, {{"a", 2, {1, 2, 3}}}),
                                     run(10, 0, 0, {{"a", 0, {0, 0, 0}}, {"b", 1, {7, 8, 15}}}),
                                     run(20, 4, 1.5, {{"a", 1, {5, 6, 11}}})});
    EXPECT_EQ(medians.makespan_s, 20);
    EXPECT_EQ(medians.resizes, 2);
    EXPECT_EQ(medians.resize_median.total_s, 1);  // a run without resizes does not count
    EXPECT_EQ(medians.all_classes, (ClassTimes{"", 3, {3, 4, 7}}));
    EXPECT_EQ(medians.classes,
              (std::vector<ClassTimes>{{"a", 3, {3, 4, 7}}, {"b", 1, {7, 8, 15}}}));
}

TEST(WorkloadMetrics, OneRepetitionIsItsOwnMedian) {
    const auto numbers = measure(two_jobs(), 4);
    EXPECT_EQ(medians_of({numbers}), numbers);
}

// Times are quarters of seconds, so that sums are exact.
double any_s(int most_quarters) {
    return *rc::gen::inRange(0, most_quarters + 1) / 4.0;
}

JobRecord any_job() {
    const double submit_s = any_s(400), start_s = submit_s + any_s(100);
    auto record = job(*rc::gen::element<std::string>("a", "b"), submit_s, start_s, start_s, {});
    const int entries = *rc::gen::inRange(0, 5);
    for (int i = 0; i < entries; ++i) {
        record.hosts.push_back({record.end_s, *rc::gen::inRange(1, 5)});
        record.end_s += any_s(40);
    }
    return record;
}

constexpr int hosts = 64;

RC_GTEST_PROP(WorkloadMetrics, TheAreaOfTheUtilisationIsTheHostSecondsOfTheJobs, ()) {
    std::vector<JobRecord> jobs(*rc::gen::inRange<std::size_t>(1, 17));
    for (auto& one : jobs) one = any_job();
    const auto steps = utilisation(jobs, hosts);
    double sum = 0;
    for (const auto& one : jobs) {
        double previous_s = one.end_s;
        for (auto it = one.hosts.rbegin(); it != one.hosts.rend(); ++it) {
            sum += it->hosts * (previous_s - it->time_s);
            previous_s = it->time_s;
        }
    }
    RC_ASSERT(integral_s(steps) * hosts == sum);
    double of_jobs = 0;
    for (const auto& one : jobs) of_jobs += host_seconds(one);
    RC_ASSERT(of_jobs == sum);
    RC_ASSERT(std::ranges::is_sorted(steps, {}, &UtilisationStep::time_s));
    RC_ASSERT(steps.front().time_s == std::ranges::min(jobs, {}, &JobRecord::submit_s).submit_s);
    RC_ASSERT(steps.back().time_s == std::ranges::max(jobs, {}, &JobRecord::end_s).end_s);
    RC_ASSERT(steps.back().share == 0);
    for (const auto& step : steps) RC_ASSERT(step.share >= 0 && step.share <= 1);
    const auto numbers = measure(jobs, hosts);
    RC_ASSERT(std::abs(numbers.mean_utilisation * numbers.makespan_s * hosts - sum) < 1e-6);
}

RC_GTEST_PROP(WorkloadMetrics, TurnaroundIsWaitAndRun, ()) {
    const auto record = any_job();
    const auto times = times_of(record);
    RC_ASSERT(times.wait_s >= 0 && times.run_s >= 0);
    RC_ASSERT(times.turnaround_s == times.wait_s + times.run_s);
    RC_ASSERT(times.turnaround_s == record.end_s - record.submit_s);
}

}  // namespace
}  // namespace ductile::workload::metrics_test
