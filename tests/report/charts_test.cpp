#include <nlohmann/json.hpp>

#include "report/charts.hpp"

#include <gtest/gtest.h>

#include "records.hpp"

namespace ductile::report::charts_test {
namespace {

TEST(Charts, HostStaysEndWhenTheHostIsFree) {
    const auto stays = host_stays(read_text(short_job));
    ASSERT_EQ(stays.size(), 2U);
    EXPECT_EQ(stays[0].host, "a");
    EXPECT_DOUBLE_EQ(stays[0].from_s, 0.5);
    EXPECT_NEAR(stays[0].to_s, 8.2, 1e-9);
    EXPECT_EQ(stays[1].host, "b");
    EXPECT_DOUBLE_EQ(stays[1].starting_s, 3.25);
    EXPECT_DOUBLE_EQ(stays[1].from_s, 4);
    EXPECT_NEAR(stays[1].to_s, 6.1, 1e-9);
}

TEST(Charts, AHostThatComesBackHasTwoStays) {
    auto timeline = read_text(short_job);
    auto again = timeline.resizes[0];
    again.at_s = 7;
    timeline.resizes.push_back(again);
    const auto stays = host_stays(timeline);
    ASSERT_EQ(stays.size(), 3U);
    EXPECT_EQ(stays[2].host, "b");
    EXPECT_DOUBLE_EQ(stays[2].from_s, 7);
}

TEST(Charts, ARolledBackResizeChangesNeitherRanksNorHosts) {
    auto timeline = read_text(short_job);
    timeline.resizes.resize(1);
    timeline.resizes[0].outcome = "rolled_back";
    EXPECT_EQ(host_stays(timeline).size(), 1U);
    EXPECT_EQ(ranks_chart(timeline)["data"][0]["y"], (nlohmann::json{2, 2}));
    EXPECT_EQ(phases_chart(timeline)["data"][0]["y"][0], "1. 2 → 4 (rolled back)");
}

TEST(Charts, IterationTimesComeFromTheClockOfTheProgram) {
    const auto times = iteration_times(read_text(short_job));
    ASSERT_EQ(times.size(), 2U);
    EXPECT_DOUBLE_EQ(times[0].seconds, 1.0 / 40);
    EXPECT_DOUBLE_EQ(times[0].at_s, 1.5);
    EXPECT_DOUBLE_EQ(times[1].seconds, 3.0 / 60);
    EXPECT_EQ(times[1].ranks, 4);
}

TEST(Charts, IterationTimesLeaveOutAStandstill) {
    auto timeline = read_text(short_job);
    timeline.paces[1].points = timeline.paces[0].points;
    EXPECT_EQ(iteration_times(timeline).size(), 1U);
}

TEST(Charts, RanksAreSteps) {
    const auto chart = ranks_chart(read_text(short_job));
    EXPECT_EQ(chart["data"][0]["y"], (nlohmann::json{2, 4, 2, 2}));
    EXPECT_EQ(chart["layout"]["shapes"].size(), 2U);
}

TEST(Charts, PhasesAreInMillisecondsOneTraceEach) {
    const auto chart = phases_chart(read_text(short_job));
    ASSERT_EQ(chart["data"].size(), 5U);
    EXPECT_NEAR(chart["data"][0]["x"][0].get<double>(), 300, 1e-9);
    EXPECT_EQ(chart["data"][0]["x"][1].get<double>(), 0);
    EXPECT_EQ(waits_chart(read_text(short_job))["data"].size(), 5U);
}

TEST(Charts, AJobWithoutResizesHasEmptyCharts) {
    auto timeline = read_text(short_job);
    timeline.resizes.clear();
    EXPECT_TRUE(phases_chart(timeline)["data"].empty());
    EXPECT_TRUE(host_stays(timeline).empty());
    EXPECT_EQ(ranks_chart(timeline)["data"][0]["y"], (nlohmann::json{2, 2}));
}

}  // namespace
}  // namespace ductile::report::charts_test
