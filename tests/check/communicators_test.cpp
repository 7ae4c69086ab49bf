#include "check/communicators.hpp"

#include <gtest/gtest.h>

namespace ductile::check::communicators_test {
namespace {

constexpr Handle world = 1, job = 10, later_job = 11, copy = 20, part = 21;

class Resized : public testing::Test {
  protected:
    Resized() {
        comms.job_is(job, 4, 0);
        comms.made(copy, job, {0, 1, 2, 3});
        comms.made(part, copy, {1, 3});
    }
    Communicators comms{world};
};

TEST_F(Resized, RanksOfWhatIsMadeFromTheJobsAreKnown) {
    EXPECT_EQ(comms.find(part).job_rank(0), 1);
    EXPECT_EQ(comms.find(part).job_rank(1), 3);
    EXPECT_EQ(comms.find(part).job_rank(2), -1);
    EXPECT_EQ(comms.find(part).job_rank(-1), -1);
    EXPECT_FALSE(comms.find(part).old);
}

TEST_F(Resized, AllThatCameFromTheJobBeforeIsOld) {
    comms.job_is(later_job, 2, 7);
    for (const auto handle : {job, copy, part}) EXPECT_TRUE(comms.find(handle).old) << handle;
    EXPECT_FALSE(comms.find(later_job).old);
    EXPECT_EQ(comms.find(later_job).point, 7);
}

TEST_F(Resized, HandlesComeAgain) {
    comms.job_is(later_job, 2, 7);
    comms.made(copy, later_job, {0, 1});
    EXPECT_FALSE(comms.find(copy).old);
    comms.job_is(job, 3, 9);
    EXPECT_FALSE(comms.find(job).old);
    EXPECT_TRUE(comms.find(later_job).old);
}

TEST_F(Resized, WhatIsFreedIsForgottenButTheJobs) {
    comms.freed(part);
    EXPECT_EQ(comms.find(part).origin, Origin::unknown);
    comms.job_ends();
    comms.freed(job);
    EXPECT_TRUE(comms.find(job).old);
}

TEST_F(Resized, ANewOneOfWhichNothingIsKnownIsNotOld) {
    comms.forget(job);
    EXPECT_EQ(comms.find(job).origin, Origin::job);
    comms.job_ends();
    for (const auto handle : {job, copy}) {
        comms.forget(handle);
        EXPECT_EQ(comms.find(handle).origin, Origin::unknown);
    }
}

TEST_F(Resized, OthersStayAsTheyAre) {
    comms.made(30, world, {});
    comms.made(31, 99, {});
    comms.job_is(later_job, 2, 7);
    EXPECT_EQ(comms.find(world).origin, Origin::world);
    for (const auto handle : {Handle{30}, Handle{31}}) {
        EXPECT_EQ(comms.find(handle).origin, Origin::other);
        EXPECT_FALSE(comms.find(handle).old);
    }
}

}  // namespace
}  // namespace ductile::check::communicators_test
