#include "expand/processor_time.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ductile::bench::processor_time_test {
namespace {

// 1 - 10 (the benchmark) - 20 (ductile run) - 30 (an agent) - 31 (a rank); 40 is somebody else's.
const Census before{{1, {0, 1, "init", 5, 2}},
                    {10, {1, 100, "expand", 1, 0}},
                    {20, {10, 200, "ductile", 0.5, 0.25}},
                    {30, {20, 300, "ductile-agent", 0.25, 0}},
                    {31, {30, 310, "loop", 4, 0}},
                    {40, {1, 50, "other", 9, 0}}};

TEST(ProcessorTime, CountsTheDescendantsOfTheBenchmark) {
    const auto found = below(before, 10, 10);
    EXPECT_EQ(found.size(), 3u);
    EXPECT_TRUE(found.contains(20) && found.contains(30) && found.contains(31));
}

TEST(ProcessorTime, CountsAllOfTheClusterButTheBenchmark) {
    const auto found = below(before, 1, 10);
    EXPECT_EQ(found.size(), 5u);
    EXPECT_FALSE(found.contains(10));
    EXPECT_TRUE(below(before, 99, 10).empty());
}

TEST(ProcessorTime, TellsWhatWasStartedFromWhatWasThere) {
    auto after = before;
    after[31].used_s += 3;            // an old rank does not count
    after[30].used_s += 0.5;          // an agent that was there
    after[20].waited_for_s += 0.125;  // something that came and ended
    after[50] = {20, 500, "ductile-agent", 1, 0.0625};
    after[51] = {50, 510, "loop", 2, 0};    // a new rank tells its time itself
    after[40] = {1, 520, "other", 0.5, 0};  // the pid of 40 in use again
    const auto time = time_between(before, after, "loop");
    EXPECT_EQ(time.ranks, 1);
    EXPECT_DOUBLE_EQ(time.started_s, 0.125 + 1.0625 + 0.5);
    EXPECT_DOUBLE_EQ(time.managers_s, 0.5);
}

TEST(ProcessorTime, ThisProcessIsInTheCensus) {
    const auto all = take_census();
    ASSERT_TRUE(all.contains(::getpid()));
    const auto& self = all.at(::getpid());
    EXPECT_EQ(self.parent, ::getppid());
    EXPECT_EQ(self.program, "test_bench");
    EXPECT_GT(self.used_s, 0);
}

}  // namespace
}  // namespace ductile::bench::processor_time_test
