#include "plan/executor_choice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/calibration.hpp"

namespace ductile::plan::executor_choice_test {
namespace {

TEST(ExecutorChoice, WithNothingMeasuredIsTheCollectiveOne) {
    EXPECT_EQ(choose_executor({}, {4, 100}), Executor::alltoallv);
}

TEST(ExecutorChoice, DependsOnTheData) {
    const std::vector<MoveCost> costs{{Executor::p2p, 0.001, 0, 0.002},
                                      {Executor::alltoallv, 0.010, 0, 0.001},
                                      {Executor::rma_lock, 0.001, 0.001, 0.002}};
    EXPECT_EQ(choose_executor(costs, {4, 1}), Executor::p2p);
    EXPECT_EQ(choose_executor(costs, {4, 100}), Executor::alltoallv);
}

TEST(ExecutorChoice, TheFirstOfThoseThatTakeAsLong) {
    const std::vector<MoveCost> costs{{Executor::rma_lock, 0.5, 0, 0}, {Executor::p2p, 0.5, 0, 0}};
    EXPECT_EQ(choose_executor(costs, {4, 1}), Executor::rma_lock);
}

RC_GTEST_PROP(ExecutorChoice, NoOtherTakesLess, ()) {
    const auto number = [] { return *rc::gen::inRange(0, 1000) * 1e-3; };
    std::vector<MoveCost> costs;
    for (const auto executor : all_executors)
        costs.push_back({executor, number(), number(), number()});
    const MoveShape shape{*rc::gen::inRange(1, 500), number() * 1e3};
    const auto chosen = choose_executor(costs, shape);
    double least = -1;
    for (const auto& cost : costs)
        if (cost.executor == chosen) least = cost.at(shape);
    RC_ASSERT(least >= 0);
    for (const auto& cost : costs) RC_ASSERT(cost.at(shape) >= least);
}

TEST(MoveShape, IsOfTheSmallerSide) {
    EXPECT_EQ(move_shape(1, 4, 64 << 20), (MoveShape{4, 64}));
    EXPECT_EQ(move_shape(4, 2, 64 << 20), (MoveShape{4, 32}));
    EXPECT_EQ(move_shape(3, 3, 0), (MoveShape{3, 0}));
}

// A model that is fitted to measurements predicts these measurements.
RC_GTEST_PROP(CostsOfMoves, AreWhatWasMeasured, ()) {
    const auto number = [] { return *rc::gen::inRange(1, 1000) * 1e-3; };
    const MoveCost real{Executor::alltoallv, number(), number(), number()};
    std::vector<MeasuredMove> measured;
    for (const int ranks : {2, 3, 8})
        for (const double mebibytes : {1.0, 64.0})
            measured.push_back({real.executor, {ranks, mebibytes}, real.at({ranks, mebibytes})});
    const auto costs = costs_of_moves(measured);
    RC_ASSERT(costs.size() == 1u);
    RC_ASSERT(costs[0].executor == Executor::alltoallv);
    for (const auto& one : measured)
        RC_ASSERT(std::abs(costs[0].at(one.shape) / one.seconds - 1) < 1e-6);
}

TEST(CostsOfMoves, OnlyOfWhatWasMeasured) {
    const auto costs =
        costs_of_moves({{Executor::rma_lockall, {2, 1}, 0.5}, {Executor::p2p, {2, 1}, 0.25}});
    ASSERT_EQ(costs.size(), 2u);
    EXPECT_EQ(costs[0].executor, Executor::p2p);
    EXPECT_EQ(costs[1].executor, Executor::rma_lockall);
}

}  // namespace
}  // namespace ductile::plan::executor_choice_test
