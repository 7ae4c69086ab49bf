#include "broker/point_costs.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::point_costs_test {
namespace {

constexpr core::HostIndex a{0}, b{1};

/// A window of two seconds with ten points.
void pass_window(PointCosts& costs) {
    for (const auto host : {a, b}) costs.drawn(host, 1000);  // the first reports do not count
    costs.pace(100, 5);
    costs.drawn(a, 200);
    costs.drawn(b, 100);
    costs.drawn(a, 400);
    costs.pace(110, 7);
}

TEST(PointCosts, AWindowGivesTimeAndEnergyOfAPoint) {
    PointCosts costs;
    pass_window(costs);
    EXPECT_EQ(costs.of({a}), (policy::PointCost{0.2, 60}));
    EXPECT_EQ(costs.of({a, b}), (policy::PointCost{0.2, 80}));
    EXPECT_EQ(costs.of({a, core::HostIndex{2}}), std::nullopt) << "a host has not reported";
}

TEST(PointCosts, AWindowHasALeastLength) {
    PointCosts costs(50);
    costs.pace(100, 5);
    costs.pace(110, 6.9);
    EXPECT_EQ(costs.of({a}), std::nullopt) << "too short";
    costs.pace(102, 15);
    EXPECT_EQ(costs.of({a}), std::nullopt) << "too few points";
    costs.pace(103, 20);
    EXPECT_EQ(costs.of({a, b}), (policy::PointCost{5, 500})) << "the power is given, not measured";
}

// What was drawn before the first point after a resize belongs to the resize.
TEST(PointCosts, AWindowBeginsAtAPoint) {
    PointCosts costs;
    costs.drawn(a, 1000);
    costs.drawn(a, 1000);
    costs.pace(0, 0);
    costs.drawn(a, 100);
    costs.pace(10, 10);
    EXPECT_EQ(costs.of({a}), (policy::PointCost{1, 100}));
}

TEST(PointCosts, NothingIsKnownAfterAResize) {
    PointCosts costs;
    pass_window(costs);
    costs.forget();
    EXPECT_EQ(costs.of({a}), std::nullopt);
    costs.pace(111, 8);
    EXPECT_EQ(costs.of({a}), std::nullopt);
}

TEST(PointCosts, ALongWindowIsReplaced) {
    PointCosts costs;
    costs.drawn(a, 1000);
    costs.pace(0, 0);
    costs.drawn(a, 100);
    costs.pace(31, PointCosts::longest_s + 1);
    EXPECT_EQ(costs.of({a}), (policy::PointCost{1, 100}));
    costs.pace(32, 32);
    costs.drawn(a, 10);
    EXPECT_EQ(costs.of({a}), (policy::PointCost{1, 100})) << "until the next one is over";
    costs.pace(42, 34);
    EXPECT_EQ(costs.of({a}), (policy::PointCost{0.2, 2}));
}

TEST(PointCosts, AHostThatReportsSeldomKeepsItsPower) {
    PointCosts costs;
    costs.drawn(a, 1000);
    costs.pace(0, 0);
    costs.drawn(a, 100);
    costs.pace(31, PointCosts::longest_s + 1);
    costs.pace(32, 32);
    costs.pace(42, 34);
    EXPECT_EQ(costs.of({a}), (policy::PointCost{0.2, 20}));
}

TEST(PointCosts, AGapHasAReason) {
    PointCosts costs;
    ASSERT_TRUE(costs.gap({a, b}));
    EXPECT_EQ(costs.gap({a, b})->why, "it has not been reported");
    EXPECT_FALSE(PointCosts(100).gap({a, b}));
    costs.drawn(a, 5);
    costs.not_drawn(b, "no counters");
    ASSERT_TRUE(costs.gap({a, b}));
    EXPECT_EQ(costs.gap({a, b})->host, b);
    EXPECT_EQ(costs.gap({a, b})->why, "no counters");
    EXPECT_FALSE(costs.gap({a})) << "the job has no ranks on the other one";
    costs.drawn(b, 5);
    EXPECT_FALSE(costs.gap({a, b}));
}

}  // namespace
}  // namespace ductile::broker::point_costs_test
