#include "engine/program_reports.hpp"

#include <gtest/gtest.h>

#include "fake_channel.hpp"

namespace ductile::engine::program_reports_test {
namespace {

double clock_s = 0, in_mpi_s = 0;

double mpi_seconds() {
    return in_mpi_s;
}

struct ProgramReportsTest : testing::Test {
    FakeChannel agent;
    ProgramReports reports{agent, [] { return clock_s; }, mpi_seconds};

    ProgramReportsTest() {
        clock_s = 100;
        in_mpi_s = 7;
        reports.begin();
    }
    static void pass(double outside_s, double inside_s) {
        clock_s += outside_s + inside_s;
        in_mpi_s += inside_s;
    }
    std::optional<wire::UsefulTime> point() {
        reports.pass_point();
        return agent.take_only<wire::UsefulTime>();
    }
};

TEST_F(ProgramReportsTest, WindowsAreReportedAtPointsWhenTheyAreLongEnough) {
    pass(0.25, 0.5);
    EXPECT_FALSE(point());
    pass(0.25, 0.25);
    const auto first = point();
    ASSERT_TRUE(first);
    EXPECT_DOUBLE_EQ(first->elapsed_s, 1.25);
    EXPECT_DOUBLE_EQ(first->useful_s, 0.5);
    EXPECT_FALSE(point()) << "the next window has just begun";
    pass(4, 0);
    const auto second = point();
    ASSERT_TRUE(second);
    EXPECT_DOUBLE_EQ(second->elapsed_s, 4);
    EXPECT_DOUBLE_EQ(second->useful_s, 4);
}

TEST_F(ProgramReportsTest, NothingOfAResizeCounts) {
    pass(0.75, 0);
    {
        const ProgramReports::Interruption resize(reports);
        pass(3, 5);
    }
    pass(0.5, 0.25);
    EXPECT_FALSE(point()) << "what was before the resize does not count, either";
    pass(0.5, 0);
    const auto window = point();
    ASSERT_TRUE(window);
    EXPECT_DOUBLE_EQ(window->elapsed_s, 1.25);
    EXPECT_DOUBLE_EQ(window->useful_s, 1);
}

// Two clocks may differ a little.
TEST_F(ProgramReportsTest, MoreTimeInMpiThanThereWasIsNone) {
    clock_s += 2;
    in_mpi_s += 2.5;
    const auto window = point();
    ASSERT_TRUE(window);
    EXPECT_DOUBLE_EQ(window->elapsed_s, 2);
    EXPECT_DOUBLE_EQ(window->useful_s, 0);
}

TEST(ProgramReports, HaveNoWindowsIfNothingIsMeasured) {
    FakeChannel agent;
    ProgramReports reports(
        agent, [] { return clock_s; }, nullptr);
    reports.begin();
    clock_s += 10;
    reports.pass_point();
    EXPECT_TRUE(agent.take().empty());
    reports.send_pace(7);
    const auto pace = agent.take_only<wire::Pace>();
    ASSERT_TRUE(pace);
    EXPECT_EQ(pace->count, 7);
    EXPECT_DOUBLE_EQ(pace->time_s, clock_s);
}

}  // namespace
}  // namespace ductile::engine::program_reports_test
