#include "check/activity.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ductile::check::activity_test {
namespace {

TEST(Activity, IsTheCallOrTheOneBefore) {
    Activity activity;
    EXPECT_EQ(activity.look().number, 0u);
    activity.enter("MPI_Recv", " from rank 1");
    EXPECT_TRUE(activity.look().waits);
    EXPECT_EQ(activity.look().about.view(), " from rank 1");
    activity.leave();
    EXPECT_FALSE(activity.look().waits);
    EXPECT_EQ(activity.look().call.view(), "MPI_Recv");
}

TEST(Activity, EachCallIsAnother) {
    Activity activity;
    activity.enter("MPI_Recv", "");
    const auto first = activity.look().number;
    activity.leave();
    activity.enter("MPI_Recv", "");
    EXPECT_NE(activity.look().number, first);
}

TEST(Activity, TheThreadThatWaitsLongestCounts) {
    Activity activity;
    activity.enter("MPI_Recv", "");
    std::thread([&activity] {
        activity.enter("MPI_Send", "");
        EXPECT_EQ(activity.look().call.view(), "MPI_Recv");
    }).join();
    activity.leave();
    EXPECT_EQ(activity.look().call.view(), "MPI_Send");
    EXPECT_TRUE(activity.look().waits);
}

TEST(Activity, LongTextsAreCut) {
    Activity activity;
    activity.enter(std::string(100, 'x'), "");
    EXPECT_EQ(activity.look().call.view(), std::string(40, 'x'));
}

}  // namespace
}  // namespace ductile::check::activity_test
