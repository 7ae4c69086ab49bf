#include "sim/tree_study.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "sim/study_comparison.hpp"
#include "sim/table_ii.hpp"
#include "tree/shape.hpp"

namespace ductile::sim::tree_study_test {
namespace {

using tree::Algorithm;
using tree::Filler;

const TreeStudy& small_study() {
    static const TreeStudy study = study_trees({8192, 1});
    return study;
}

TEST(TableIi, HasTheCellsThatThePaperPrints) {
    int empty = 0;
    for (const auto& row : table_ii) {
        for (std::size_t column = 0; column < row.cells.size(); ++column) {
            const auto& cell = row.cells[column];
            EXPECT_EQ(cell.time_us.has_value(), cell.messages.has_value());
            if (cell.time_us) continue;
            ++empty;
            EXPECT_EQ(row.algorithm, Algorithm::shrink_and_balance);
            EXPECT_EQ(table_ii_processes.at(column), 131072);
            EXPECT_GE(row.fraction, 0.6);
        }
    }
    EXPECT_EQ(empty, 3);
    EXPECT_EQ(printed_cell(0.3, Algorithm::shrink_and_hash, 5).messages, 163142);
    EXPECT_EQ(printed_cell(0.3, Algorithm::shrink_and_hash, 5).time_us, 680);
    EXPECT_THROW(printed_cell(0.5, Algorithm::centralized, 0), std::out_of_range);
}

TEST(TableIi, MembersAreThoseOfTheCentralizedRow) {
    EXPECT_EQ(members_in(0.001, 0), 2050 - 2048 + 2);
    // For the fractions 0.001 and 0.01 the authors of balanced-spanning-trees drew more members.
    // For the other fractions, m / n is about the fraction.
    for (std::size_t column = 0; column < table_ii_processes.size(); ++column)
        for (const double fraction : {0.1, 0.3, 0.6, 0.9, 0.99})
            EXPECT_NEAR(members_in(fraction, column), fraction * table_ii_processes.at(column),
                        0.06 * fraction * table_ii_processes.at(column));
}

TEST(TreeStudy, HasEachCellOnce) {
    const auto& study = small_study();
    std::set<std::tuple<double, Algorithm, Filler, int>> seen;
    for (const auto& row : study.rows) {
        EXPECT_TRUE(seen.insert({row.fraction, row.algorithm, row.filler, row.n}).second);
        EXPECT_EQ(row.height, tree::height(row.m, table_ii_branching));
    }
    EXPECT_EQ(seen.size(), 3U * 7 * 5) << "sizes, fractions, methods";
    EXPECT_EQ(fractions_of(study.rows).size(), 7U);
    EXPECT_EQ(sizes_of(study.rows), (std::vector{2048, 4096, 8192}));
}

TEST(TreeStudy, CountsMessagesAsThePaper) {
    for (const auto& row : small_study().rows) {
        if (!row.paper_messages) {
            EXPECT_EQ(row.algorithm, Algorithm::shrink_and_hash);
            EXPECT_NE(row.filler, Filler::none);
            continue;
        }
        SCOPED_TRACE(std::string(to_string(row.algorithm)) + " " + std::to_string(row.fraction) +
                     " of " + std::to_string(row.n));
        const double most = row.algorithm == Algorithm::centralized       ? 0
                            : row.algorithm == Algorithm::shrink_and_hash ? 0.015
                                                                          : 0.2;
        EXPECT_LE(std::abs(message_deviation(row).value()), most);
    }
}

/// Section VII-C: with each of the three fillers the passes take the same number of messages,
/// within 1.
TEST(TreeStudy, FillersSendAboutAsMany) {
    const auto& rows = small_study().rows;
    for (const double fraction : fractions_of(rows))
        for (const int n : sizes_of(rows)) {
            const auto messages = [&](Filler filler) {
                return find_row(rows, fraction, Algorithm::shrink_and_hash, filler, n)->messages;
            };
            EXPECT_NEAR(static_cast<double>(messages(Filler::child)),
                        static_cast<double>(messages(Filler::none)), 1);
            EXPECT_NEAR(static_cast<double>(messages(Filler::leaf)),
                        static_cast<double>(messages(Filler::none)), 1);
        }
}

TEST(TreeStudy, FitsTheCentralizedTimes) {
    const auto& study = small_study();
    EXPECT_EQ(study.costs.latency_us, study.costs.overhead_us);
    for (const auto& row : study.rows) {
        if (row.algorithm != Algorithm::centralized) continue;
        EXPECT_LE(std::abs(time_deviation(row).value()), 0.2)
            << row.fraction << " of " << row.n << ": " << row.time_us;
    }
}

TEST(TreeStudy, RefusesWhenNoColumnIsLeft) {
    EXPECT_THROW(study_trees({2047, 1}), std::invalid_argument);
    EXPECT_THROW(fit_costs({0, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace ductile::sim::tree_study_test
