#include "workload/efficiency.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "paper_times.hpp"

namespace ductile::workload::efficiency_test {
namespace {

// dmr-slurm-mpdata, Table 3, column "Max. Nodes", from the times of Table 2. Our copy of the paper
// has neither the formula of equation 3 nor Figure 3. The test shows that the efficiency that the
// text describes, S(N) / (N / Nmin), gives the published numbers.
TEST(WorkloadEfficiency, LargestNumbersAreThoseOfTable3) {
    EXPECT_EQ(efficient_hosts(small_s, 1), 8);
    EXPECT_EQ(efficient_hosts(medium_s, 2), 6);
    EXPECT_EQ(efficient_hosts(large_s, 4), 11);
}

TEST(WorkloadEfficiency, ALowerBoundAllowsMoreHosts) {
    EXPECT_EQ(efficient_hosts(small_s, 1, 0.9), 9);  // 8.90 / (9 * 1.06) = 0.93, then 0.88
    EXPECT_EQ(efficient_hosts(small_s, 1, 0), 12);
    EXPECT_EQ(efficient_hosts(small_s, 1, 1.3), 5);  // 1.51 on 4, 1.36 on 5, 1.24 on 6
    EXPECT_EQ(efficient_hosts(small_s, 1, 9), 1);
}

TEST(WorkloadEfficiency, FollowsTheEquations) {
    const auto series = efficiencies({{1, 99}, {2, 8}, {4, 4}, {8, 4}}, 2);
    ASSERT_EQ(series.size(), 3U);  // fewer hosts than the smallest number do not count
    EXPECT_EQ(series[0].hosts, 2);
    EXPECT_EQ(series[2].hosts, 8);
    EXPECT_DOUBLE_EQ(series[1].speedup, 2);
    EXPECT_DOUBLE_EQ(series[1].efficiency, 1);
    EXPECT_DOUBLE_EQ(series[2].efficiency, 0.5);
    EXPECT_DOUBLE_EQ(series[1].normalised, 1);
    EXPECT_DOUBLE_EQ(series[2].normalised, 0);
    EXPECT_DOUBLE_EQ(efficiencies({{3, 1.5}}, 3).at(0).normalised, 1);
}

// 0.3 / 0.1 is below 3 in floating point.
TEST(WorkloadEfficiency, RoundingDoesNotLoseAPerfectSpeedup) {
    EXPECT_EQ(efficient_hosts({{1, 0.3}, {3, 0.1}}, 1), 3);
}

RC_GTEST_PROP(WorkloadEfficiency, TheNormalisedSeriesIsBetweenItsEnds, ()) {
    const int min_hosts = *rc::gen::inRange(1, 9);
    IterationTimes times;
    for (int hosts = min_hosts; hosts < min_hosts + 8; ++hosts)
        times[hosts] = *rc::gen::inRange(1, 1000) / 100.0;
    const auto series = efficiencies(times, min_hosts);
    RC_ASSERT(series.front().efficiency == 1);
    for (const auto& one : series) RC_ASSERT(one.normalised >= 0 && one.normalised <= 1);
    const auto most = efficient_hosts(times, min_hosts);
    for (const auto& one : series)
        if (one.hosts > most) RC_ASSERT(one.normalised < series.front().normalised);
}

}  // namespace
}  // namespace ductile::workload::efficiency_test
