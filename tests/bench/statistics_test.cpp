#include "common/statistics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "common/row.hpp"

namespace ductile::bench::statistics_test {
namespace {

TEST(Statistics, QuantilesLieBetweenNeighbours) {
    EXPECT_DOUBLE_EQ(quantile({4, 1, 2}, 0.5), 2);
    EXPECT_DOUBLE_EQ(quantile({1, 2}, 0.5), 1.5);
    EXPECT_DOUBLE_EQ(quantile({20, 10}, 0.9), 19);
    EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
    EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.9), 10);
}

TEST(Statistics, NoSamplesHaveNoSpread) {
    EXPECT_EQ(spread_of({}), Spread{});
}

TEST(Statistics, MannWhitneyTellsSidesApart) {
    const std::vector<double> low{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const std::vector<double> high{10, 11, 12, 13, 14, 15, 16, 17, 18};
    // By hand: U = 0, mean 40.5, variance 81 * 19 / 12, z = -40 / 11.3248 = -3.532.
    EXPECT_NEAR(mann_whitney(low, high), 0.000412, 5e-6);
    EXPECT_DOUBLE_EQ(mann_whitney(low, low), 1);
    EXPECT_DOUBLE_EQ(mann_whitney({1, 1, 1}, {1, 1, 1}), 1);
    EXPECT_GT(mann_whitney({1, 3, 5, 7, 9, 11, 13, 15, 17}, {2, 4, 6, 8, 10, 12, 14, 16, 18}), 0.5);
}

RC_GTEST_PROP(Statistics, MannWhitneyIsSymmetricAndAProbability, ()) {
    const auto side = rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
        rc::gen::map(rc::gen::inRange(0, 20), [](int n) { return 1.0 * n; })));
    const auto a = *side, b = *side;
    const double p = mann_whitney(a, b);
    RC_ASSERT(p >= 0 && p <= 1);
    RC_ASSERT(std::abs(p - mann_whitney(b, a)) < 1e-12);
}

RC_GTEST_PROP(Statistics, SpreadIsOrdered, ()) {
    const auto samples = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
        rc::gen::map(rc::gen::inRange(0, 1000000), [](int n) { return n * 1e-6; })));
    const auto s = spread_of(samples);
    RC_ASSERT(s.min <= s.lower_quartile && s.lower_quartile <= s.median);
    RC_ASSERT(s.median <= s.upper_quartile && s.upper_quartile <= s.p90 && s.p90 <= s.max);
    RC_ASSERT(s.samples == static_cast<int>(samples.size()));
}

TEST(Row, RatioIsOursOverOther) {
    Row row{"1->4", "stall", {0.01, 0.02, 0.03}, {0.1, 0.1, 0.4}, "spawn", {}};
    EXPECT_DOUBLE_EQ(row.ratio(), 0.2);
    EXPECT_DOUBLE_EQ(row.speedup(), 5);
    row.expect_ratio(0.25).expect_speedup(6);
    EXPECT_TRUE(row.targets[0].reached());
    EXPECT_FALSE(row.targets[1].reached());
}

}  // namespace
}  // namespace ductile::bench::statistics_test
