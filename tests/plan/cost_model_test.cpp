#include "plan/cost_model.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <stdexcept>

namespace ductile::plan::cost_model_test {
namespace {

constexpr Strategy background{Method::merge, Start::launch, Overlap::background};
constexpr Strategy blocking{Method::merge, Start::collective, Overlap::blocking};

CostModel model() {
    CostModel made;
    made.starts[{Start::launch, Overlap::background}] = {{0.1, 0, 0}, {0, 0, 0.01}, 1.25, 1, 9};
    made.starts[{Start::collective, Overlap::blocking}] = {{0.05, 0.001, 0}, {}, 1, 1, 9};
    made.merge = {0.004, 0.0005, 0};
    made.split = {0.0002, 0.00001, 0};
    return made;
}

TEST(CostModel, AllOfASpawnThatStopsTheProgramIsLost) {
    ResizeShape shape{2, 8, 6, 3, 1};
    const auto has_next_step = *cost_of(model(), background, shape);
    EXPECT_NEAR(has_next_step.lost_s - has_next_step.switch_s, 0.2 * 0.12, 1e-12);
    shape.spawn_stops_program = true;
    const auto stands_still = *cost_of(model(), background, shape);
    EXPECT_NEAR(stands_still.lost_s - stands_still.switch_s, 0.1 + 0.2 * 0.02, 1e-12);
    EXPECT_EQ(stands_still.total_s, has_next_step.total_s);
}

TEST(CostModel, TermsOfTheEquations) {
    const ResizeShape shape{2, 8, 6, 3, 1};
    const auto waits = *cost_of(model(), blocking, shape);
    EXPECT_DOUBLE_EQ(waits.spawn_s, 0.056);
    EXPECT_DOUBLE_EQ(waits.switch_s, 0.008);
    EXPECT_DOUBLE_EQ(waits.total_s, 0.064);  // equation 2 of dynamic-spawning-methods
    EXPECT_DOUBLE_EQ(waits.lost_s, waits.total_s);
    const auto has_next_step = *cost_of(model(), background, shape);
    EXPECT_DOUBLE_EQ(has_next_step.connect_s, 0.02);  // two rounds
    EXPECT_DOUBLE_EQ(has_next_step.total_s, 0.128);
    EXPECT_NEAR(has_next_step.lost_s, 0.2 * 0.12 + 0.008, 1e-12);  // equation 6, omega 1.25
    const auto shrink = *cost_of(model(), background, {8, 2, 0, 0, 0});
    EXPECT_DOUBLE_EQ(shrink.total_s, 0.00028);  // equation 3
    EXPECT_DOUBLE_EQ(cost_of(model(), background, {2, 8, 0, 0, 0})->total_s, 0.008);
    EXPECT_FALSE(cost_of(model(), {Method::merge, Start::single, Overlap::blocking}, shape));
    EXPECT_FALSE(cost_of({}, background, {8, 2, 0, 0, 0}));
}

TEST(CostModel, ShapeOfAPlan) {
    using core::Group, core::GroupId, core::HostIndex;
    const auto before = core::Layout::of({{GroupId{0}, HostIndex{0}, 2}});
    const std::vector<Group> added{{GroupId{1}, HostIndex{1}, 2}, {GroupId{2}, HostIndex{2}, 1}};
    EXPECT_EQ(shape_of(before, before.with(added), added, {}), (ResizeShape{2, 5, 3, 2, 1}));
    const std::vector<Spawn> spawns{{1, GroupId{0}, core::Rank{0}, GroupId{1}},
                                    {2, GroupId{1}, core::Rank{0}, GroupId{2}}};
    EXPECT_EQ(shape_of(before, before.with(added), added, spawns).steps, 2);
    EXPECT_EQ(shape_of(before, before, {}, {}), (ResizeShape{2, 2, 0, 0, 0}));
    EXPECT_EQ(rounds_among(0), 0);
    EXPECT_EQ(rounds_among(1), 0);
    EXPECT_EQ(rounds_among(2), 1);
    EXPECT_EQ(rounds_among(3), 2);
    EXPECT_EQ(rounds_among(9), 4);
}

RC_GTEST_PROP(CostFit, FindsTheTermThatMadeTheTimes, ()) {
    const auto some = [] { return *rc::gen::inRange(0, 100) / 1000.0; };
    Term truth{some(), some() / 10, some()};
    std::vector<Observation> seen;
    for (const double ranks : {1., 3., 4., 8., 15.})
        for (const double levels : {1., 2., 3.})
            seen.push_back({ranks, levels, truth.at(ranks, levels)});
    const auto found = fit(seen);
    RC_ASSERT(found.constant >= 0 && found.per_rank >= 0 && found.per_level >= 0);
    for (const auto& one : seen)
        RC_ASSERT(std::abs(found.at(one.ranks, one.levels) - one.seconds) <=
                  1e-4 * one.seconds + 1e-9);
}

RC_GTEST_PROP(CostFit, NeverBelowZeroWhateverWasMeasured, ()) {
    const auto seen = *rc::gen::container<std::vector<Observation>>(rc::gen::map(
        rc::gen::tuple(rc::gen::inRange(0, 64), rc::gen::inRange(0, 6), rc::gen::inRange(-5, 1000)),
        [](const auto& t) {
            return Observation{double(std::get<0>(t)), double(std::get<1>(t)),
                               std::get<2>(t) / 1e3};
        }));
    const auto found = fit(seen);
    RC_ASSERT(std::isfinite(found.constant) && found.constant >= 0);
    RC_ASSERT(std::isfinite(found.per_rank) && found.per_rank >= 0);
    RC_ASSERT(std::isfinite(found.per_level) && found.per_level >= 0);
}

TEST(CostFit, WhatCannotBeToldApartIsLeftOut) {
    EXPECT_EQ(fit({}), Term{});
    EXPECT_EQ(fit({{4, 1, 0.2}, {4, 1, 0.2}}), (Term{0.2, 0, 0}));
    EXPECT_THROW(fit({{4, 1, NAN}}), std::invalid_argument);
}

TEST(CostModel, LearnsFromWhatHappens) {
    auto learning = model();
    const ResizeShape shape{2, 8, 6, 3, 1};
    for (int i = 0; i < 30; ++i) learning.learn(background, shape, 0.24);  // twice the prediction
    const auto after = *cost_of(learning, background, shape);
    EXPECT_NEAR(after.spawn_s + after.connect_s, 0.24, 0.001);
    EXPECT_DOUBLE_EQ(cost_of(learning, blocking, shape)->total_s, 0.064);  // has not learned
    for (int i = 0; i < 100; ++i) learning.learn(background, shape, 1000);
    EXPECT_DOUBLE_EQ(learning.starts.at({Start::launch, Overlap::background}).correction, 10);
    learning.learn(background, shape, 0);
    learning.learn(background, {8, 2, 0, 0, 0}, 1);
    EXPECT_DOUBLE_EQ(learning.starts.at({Start::launch, Overlap::background}).correction, 10);
}

}  // namespace
}  // namespace ductile::plan::cost_model_test
