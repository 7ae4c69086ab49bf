// The states of a job's life, and what it ends with.
#include "broker/job_life.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::job_life_test {
namespace {

JobLife running() {
    JobLife life;
    life.begin();
    life.run();
    return life;
}

Snapshot known(Stage stage) {
    Snapshot snapshot;
    snapshot.stage = stage;
    return snapshot;
}

TEST(JobLife, GoesFromItsStartToItsEnd) {
    JobLife life;
    EXPECT_STREQ(life.name(), "starting");
    EXPECT_FALSE(life.has_begun());
    EXPECT_FALSE(life.finish()) << "it does not run yet";
    life.begin();
    life.run();
    EXPECT_STREQ(life.name(), "running");
    EXPECT_TRUE(life.finish());
    EXPECT_STREQ(life.name(), "finishing");
    EXPECT_FALSE(life.finish()) << "only once";
    EXPECT_TRUE(life.end("enough"));
    EXPECT_EQ(life.why(), "enough");
    EXPECT_TRUE(life.is_over());
    life.stop();
    EXPECT_STREQ(life.name(), "ended");
    EXPECT_TRUE(life.is_over());
    EXPECT_EQ(life.why(), "");
}

TEST(JobLife, EndsOnce) {
    auto life = running();
    EXPECT_TRUE(life.end("first"));
    EXPECT_FALSE(life.end("second"));
    EXPECT_EQ(life.why(), "first");
    life.stop();
    EXPECT_FALSE(life.end("third"));
}

TEST(JobLife, TheFirstCodeCounts) {
    auto life = running();
    EXPECT_FALSE(life.fail(0));
    EXPECT_TRUE(life.fail(3));
    EXPECT_FALSE(life.fail(4));
    EXPECT_EQ(life.exit_code(), 3);
}

TEST(JobLife, NobodyIsSuspectedWhenItEnds) {
    auto life = running();
    EXPECT_TRUE(life.failures().suspect({1, "somebody"}));
    EXPECT_TRUE(life.end("another reason"));
    EXPECT_FALSE(life.failures().is_suspecting());
}

TEST(JobLife, IsJournaledAsItIs) {
    JobLife life;
    EXPECT_EQ(life.stage(), Stage::starting);
    life.run();
    EXPECT_EQ(life.stage(), Stage::running);
    EXPECT_TRUE(life.finish());
    EXPECT_EQ(life.stage(), Stage::finishing);
    EXPECT_TRUE(life.end(""));
    EXPECT_EQ(life.stage(), Stage::ending);
}

TEST(JobLife, IsTakenOverAndGoesOnWhereItWas) {
    for (const auto stage : {Stage::starting, Stage::running, Stage::finishing}) {
        JobLife life;
        EXPECT_EQ(life.recovery(), nullptr);
        life.begin();
        life.recover(known(stage));
        ASSERT_NE(life.recovery(), nullptr);
        EXPECT_STREQ(life.name(), "resuming");
        EXPECT_EQ(life.settle().known().stage, stage);
        EXPECT_EQ(life.recovery(), nullptr);
        EXPECT_EQ(life.stage(), stage);
    }
}

TEST(JobLife, MayEndWhileItIsTakenOver) {
    JobLife life;
    life.recover(known(Stage::running));
    EXPECT_TRUE(life.end("a signal"));
    EXPECT_EQ(life.recovery(), nullptr);
}

TEST(JobLife, ATakeoverIsRefusedOnce) {
    JobLife life;
    life.recover(known(Stage::running));
    EXPECT_TRUE(life.refuse("the journal is behind"));
    EXPECT_FALSE(life.refuse("again"));
    EXPECT_EQ(life.refused(), "the journal is behind");
    EXPECT_TRUE(life.is_over());
    EXPECT_EQ(life.recovery(), nullptr);
}

}  // namespace
}  // namespace ductile::broker::job_life_test
