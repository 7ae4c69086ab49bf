#include "workload/mann_whitney.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace ductile::workload::mann_whitney_test {
namespace {

// The expected values are those of scipy 1.17.1: without equal values by
// mannwhitneyu(method="exact") (the first row is the example of its page), with equal values by
// permutation_test over all ways, and with more than 20 values by
// mannwhitneyu(method="asymptotic").
TEST(WorkloadMannWhitney, ValuesAreThoseOfScipy) {
    const struct {
        std::vector<double> first, second;
        double u, p;
        PValue how;
    } table[] = {
        {{19, 22, 16, 29, 24}, {20, 11, 17, 12}, 17, 0.1111111111111111, PValue::exact},
        {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, 0, 0.007936507936507936, PValue::exact},
        {{2655, 2610, 2701, 2688, 2644},
         {2685, 2690, 2620, 2713, 2672},
         9,
         0.5476190476190477,
         PValue::exact},
        {{1, 2, 2, 3}, {2, 4, 5, 5}, 2, 0.11428571428571428, PValue::exact},
        {{7, 7, 8, 9, 3}, {7, 1, 2, 3, 3}, 22, 0.07936507936507936, PValue::exact},
        {{14, 9, 11, 17, 20, 12, 15, 15, 8, 13, 22},
         {10, 10, 7, 9, 12, 6, 15, 11, 5, 13, 4},
         98,
         0.014858794727750277,
         PValue::approximate},
    };
    for (const auto& row : table) {
        const auto result = mann_whitney(row.first, row.second);
        EXPECT_EQ(result.u, row.u);
        EXPECT_NEAR(result.p, row.p, 1e-12) << row.u;
        EXPECT_EQ(result.how, row.how) << row.u;
    }
}

TEST(WorkloadMannWhitney, EqualSamplesDoNotDiffer) {
    EXPECT_EQ(mann_whitney({3, 3, 3}, {3, 3}).p, 1);
    EXPECT_EQ(mann_whitney(std::vector<double>(15, 3), std::vector<double>(15, 3)).p, 1);
    EXPECT_EQ(mann_whitney({1}, {2}).p, 1);
}

RC_GTEST_PROP(WorkloadMannWhitney, TheOrderOfTheSamplesDoesNotCount, ()) {
    const auto sample = [] {
        std::vector<double> values(*rc::gen::inRange<std::size_t>(1, 15));
        for (auto& value : values) value = *rc::gen::inRange(0, 20);
        return values;
    };
    const auto first = sample(), second = sample();
    const auto result = mann_whitney(first, second), turned = mann_whitney(second, first);
    RC_ASSERT(result.u + turned.u == static_cast<double>(first.size() * second.size()));
    RC_ASSERT(std::abs(result.p - turned.p) < 1e-12);
    RC_ASSERT(result.p > 0 && result.p <= 1);
    double larger = 0;
    for (const double a : first)
        for (const double b : second) larger += a > b ? 1 : a == b ? 0.5 : 0;
    RC_ASSERT(result.u == larger);
}

}  // namespace
}  // namespace ductile::workload::mann_whitney_test
