#include "common/statistics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "common/row.hpp"

namespace ductile::bench {
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
}  // namespace ductile::bench
