#include "check/call_reports.hpp"

#include <gtest/gtest.h>

namespace ductile::check::call_reports_test {
namespace {

RankState made(int rank, std::string_view call, int times = 1) {
    RankState state;
    state.rank = rank;
    state.collectives = times;
    for (std::size_t i = 0; i < RankState::kept && static_cast<int>(i) < times; ++i)
        state.first[i] = call;
    return state;
}

constexpr int kept = static_cast<int>(RankState::kept);

TEST(CallReports, ARankReportsSoonAndOnceAllAreMade) {
    CallReports reports;
    EXPECT_FALSE(reports.is_due(made(1, "MPI_Bcast", 0), 1));
    EXPECT_FALSE(reports.is_due(made(1, "MPI_Bcast", 1), 2));
    EXPECT_TRUE(reports.is_due(made(1, "MPI_Bcast", 2), 3));
    EXPECT_FALSE(reports.is_due(made(1, "MPI_Bcast", 3), 10));
    EXPECT_TRUE(reports.is_due(made(1, "MPI_Bcast", kept), 11));
    EXPECT_FALSE(reports.is_due(made(1, "MPI_Bcast", kept + 5), 12));
}

TEST(CallReports, ManyCallsAtOnceAreReportedOnce) {
    CallReports reports;
    EXPECT_TRUE(reports.is_due(made(1, "MPI_Bcast", kept + 1), 1));
    EXPECT_FALSE(reports.is_due(made(1, "MPI_Bcast", kept + 2), 5));
}

TEST(CallReports, ADifferenceIsSaidOnce) {
    CallReports reports;
    reports.add(made(0, "MPI_Bcast"));
    EXPECT_TRUE(reports.take_difference().empty());
    reports.add(made(1, "MPI_Allreduce"));
    EXPECT_FALSE(reports.take_difference().empty());
    reports.add(made(2, "MPI_Allreduce"));
    EXPECT_TRUE(reports.take_difference().empty());
}

TEST(CallReports, AResizeBeginsAnew) {
    CallReports reports;
    EXPECT_TRUE(reports.begin(1));
    EXPECT_FALSE(reports.begin(1));
    reports.add(made(0, "MPI_Bcast"));
    EXPECT_TRUE(reports.is_due(made(0, "MPI_Bcast", kept), 1));
    EXPECT_TRUE(reports.begin(2));
    reports.add(made(1, "MPI_Allreduce"));
    EXPECT_TRUE(reports.take_difference().empty());
    EXPECT_TRUE(reports.is_due(made(0, "MPI_Bcast", kept), 1));
}

}  // namespace
}  // namespace ductile::check::call_reports_test
