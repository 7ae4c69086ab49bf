#include "report/phases.hpp"

#include <gtest/gtest.h>

#include "records.hpp"

namespace ductile::report::phases_test {
namespace {

double total(const std::vector<Phase>& phases) {
    double sum = 0;
    for (const auto& phase : phases) sum += phase.seconds;
    return sum;
}

TEST(Phases, OfAnExpandAreTheDifferencesOfItsMarks) {
    const auto phases = phases_of(read_text(short_job).resizes[0]);
    const double expected[] = {0.3, 0.2, 0.1, 0.05, 0.1};
    ASSERT_EQ(phases.size(), std::size(expected));
    for (std::size_t i = 0; i < phases.size(); ++i)
        EXPECT_NEAR(phases[i].seconds, expected[i], 1e-12) << phases[i].name;
    EXPECT_EQ(phases.front().name, "launch");
    EXPECT_EQ(phases.back().during, During::waiting);
    EXPECT_NEAR(total(phases), 0.75, 1e-12);
}

TEST(Phases, AShrinkLaunchesNothing) {
    const auto phases = phases_of(read_text(short_job).resizes[1]);
    EXPECT_EQ(phases[0].seconds, 0);
    EXPECT_EQ(phases[2].seconds, 0);
    EXPECT_NEAR(phases[3].seconds, 0.01, 1e-12);
    EXPECT_NEAR(phases[4].seconds, 0.04, 1e-12);
}

TEST(Phases, NoPhaseIsNegativeWhenMarksAreOutOfOrder) {
    Resize resize;
    resize.since_accepted_s = {{"ready", 0.5}, {"formed", 0.4}, {"done", 0.6}};
    const auto phases = phases_of(resize);
    EXPECT_EQ(phases[1].seconds, 0);
    EXPECT_NEAR(total(phases), 0.6, 1e-12);
}

TEST(Phases, OfARolledBackResizeEndWhereItGot) {
    Resize resize;
    resize.since_accepted_s = {{"launched", 0.01}, {"ready", 0.5}};
    EXPECT_NEAR(total(phases_of(resize)), 0.5, 1e-12);
}

}  // namespace
}  // namespace ductile::report::phases_test
