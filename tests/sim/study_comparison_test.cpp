#include "sim/study_comparison.hpp"

#include <gtest/gtest.h>

namespace ductile::sim::study_comparison_test {
namespace {

using tree::Algorithm;
using tree::Filler;

StudyRow row(Algorithm algorithm, double fraction, int n, int messages, double time_us,
             std::optional<int> paper_messages, std::optional<int> paper_time_us) {
    StudyRow made;
    made.algorithm = algorithm;
    made.filler = printed_filler(algorithm);
    made.fraction = fraction;
    made.n = n;
    made.messages = messages;
    made.time_us = time_us;
    made.paper_messages = paper_messages;
    made.paper_time_us = paper_time_us;
    return made;
}

const std::vector<StudyRow> rows{
    row(Algorithm::centralized, 0.1, 10, 100, 50, 100, 40),
    row(Algorithm::shrink_and_balance, 0.1, 10, 90, 30, std::nullopt, std::nullopt),
    row(Algorithm::shrink_and_hash, 0.1, 10, 120, 40, 100, 50),
    row(Algorithm::centralized, 0.1, 20, 200, 90, 200, 100),
    row(Algorithm::shrink_and_balance, 0.1, 20, 180, 80, 240, 90),
    row(Algorithm::shrink_and_hash, 0.1, 20, 190, 95, 200, 95),
};

TEST(StudyComparison, DeviatesByParts) {
    EXPECT_DOUBLE_EQ(message_deviation(rows[4]).value(), -0.25);
    EXPECT_DOUBLE_EQ(time_deviation(rows[0]).value(), 0.25);
    EXPECT_FALSE(message_deviation(rows[1]));
    EXPECT_FALSE(time_deviation(rows[1]));
}

TEST(StudyComparison, NamesTheLargestDeviationEitherWay) {
    const auto all = deviations_of_algorithms(rows);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].algorithm, Algorithm::centralized);
    EXPECT_DOUBLE_EQ(all[0].time.deviation, 0.25);
    EXPECT_EQ(all[0].time.n, 10);
    EXPECT_DOUBLE_EQ(all[1].messages.deviation, -0.25);
    EXPECT_EQ(all[1].messages.n, 20);
    EXPECT_DOUBLE_EQ(all[2].time.deviation, -0.2);
    EXPECT_DOUBLE_EQ(all[2].mean_time, -0.1);
    EXPECT_DOUBLE_EQ(all[1].mean_messages, -0.25) << "of what is printed";
}

/// In the first cell our fastest is balance, which balanced-spanning-trees does not print there.
TEST(StudyComparison, TheFastestIsOneThatThePaperPrints) {
    const auto cells = fastest_of_each_cell(rows);
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_EQ(cells[0].n, 10);
    EXPECT_EQ(cells[0].ours, Algorithm::shrink_and_hash);
    EXPECT_EQ(cells[0].papers, Algorithm::centralized);
    EXPECT_DOUBLE_EQ(cells[0].lead, 0.25);
    EXPECT_EQ(cells[1].lead, 0);
    EXPECT_EQ(cells[1].ours, Algorithm::shrink_and_balance);
    EXPECT_EQ(cells[1].papers, Algorithm::shrink_and_balance);
}

TEST(StudyComparison, FindsRows) {
    EXPECT_EQ(find_row(rows, 0.1, Algorithm::shrink_and_hash, Filler::none, 20), &rows[5]);
    EXPECT_EQ(find_row(rows, 0.1, Algorithm::shrink_and_hash, Filler::leaf, 20), nullptr);
    EXPECT_EQ(sizes_of(rows), (std::vector{10, 20}));
    EXPECT_EQ(fractions_of(rows), std::vector{0.1});
}

}  // namespace
}  // namespace ductile::sim::study_comparison_test
