#include "broker/rank_efficiency.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ductile::broker::rank_efficiency_test {
namespace {

constexpr core::GroupId first{0}, second{1};

core::Process process(core::GroupId group, int rank) {
    return {group, core::Rank{rank}};
}

/// Two ranks of one group and one of another.
const core::Layout layout =
    core::Layout::of({{first, core::HostIndex{0}, 2}, {second, core::HostIndex{1}, 1}});

TEST(RankEfficiency, IsThatOfTheRankWithTheMostWork) {
    RankEfficiency ranks;
    EXPECT_EQ(ranks.of(layout), std::nullopt);
    ranks.measured(process(first, 0), 2, 1);
    ranks.measured(process(first, 1), 1, 0.25);
    EXPECT_EQ(ranks.of(layout), std::nullopt) << "one rank has not reported";
    ranks.measured(process(second, 0), 4, 3);
    EXPECT_EQ(ranks.of(layout), 0.75);
    ranks.measured(process(second, 0), 4, 0);
    EXPECT_EQ(ranks.of(layout), 0.5) << "the newest window counts";
}

TEST(RankEfficiency, OnlyActiveRanksCount) {
    RankEfficiency ranks;
    ranks.measured(process(first, 0), 1, 0.5);
    ranks.measured(process(first, 1), 1, 0.5);
    ranks.measured(process(first, 2), 1, 1);
    ranks.measured(process(second, 0), 1, 0.5);
    ranks.measured(process(second, 1), 1, 1);
    EXPECT_EQ(ranks.of(layout), 0.5);
}

TEST(RankEfficiency, IsUnknownAfterAResize) {
    RankEfficiency ranks;
    const auto one = core::Layout::of({{first, core::HostIndex{0}, 1}});
    ranks.measured(process(first, 0), 1, 0.5);
    EXPECT_EQ(ranks.of(one), 0.5);
    ranks.forget();
    EXPECT_EQ(ranks.of(one), std::nullopt);
    EXPECT_EQ(ranks.of({}), std::nullopt);
}

TEST(RankEfficiency, WindowsThatCannotBeAreIgnored) {
    RankEfficiency ranks;
    const auto one = core::Layout::of({{first, core::HostIndex{0}, 1}});
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::pair<double, double> table[] = {{0, 0},    {-1, -2}, {1, 1.5},
                                               {1, -0.5}, {nan, 1}, {1, nan}};
    for (const auto& [elapsed_s, useful_s] : table) {
        ranks.measured(process(first, 0), elapsed_s, useful_s);
        EXPECT_EQ(ranks.of(one), std::nullopt) << elapsed_s << " " << useful_s;
    }
    ranks.measured(process(first, 0), 1, 1);
    EXPECT_EQ(ranks.of(one), 1);
}

}  // namespace
}  // namespace ductile::broker::rank_efficiency_test
