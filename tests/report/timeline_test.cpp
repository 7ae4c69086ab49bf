#include "report/timeline.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"
#include "records.hpp"

namespace ductile::report::timeline_test {
namespace {

TEST(Timeline, CountsSecondsFromTheStartOfTheJob) {
    const auto timeline = read_text(short_job);
    EXPECT_EQ(timeline.job, "j1");
    EXPECT_EQ(timeline.ranks, 2);
    EXPECT_DOUBLE_EQ(timeline.running_at_s, 0.5);
    ASSERT_EQ(timeline.resizes.size(), 2U);
    EXPECT_DOUBLE_EQ(timeline.resizes[0].at_s, 4);
    EXPECT_DOUBLE_EQ(timeline.resizes[0].accepted_at_s(), 3.25);
    EXPECT_EQ(timeline.resizes[0].hosts_after, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(timeline.paces.size(), 3U);
    EXPECT_TRUE(timeline.ended);
    EXPECT_NEAR(timeline.ended_at_s, 8.2, 1e-9) << "checks come after the job";
    ASSERT_EQ(timeline.checks.size(), 1U);
    EXPECT_TRUE(timeline.checks[0].ok);
    EXPECT_EQ(timeline.machine.front().second, "2");
}

TEST(Timeline, PassesOverUnknownEventsAndALineThatIsBeingWritten) {
    const std::string first(short_job, std::string(short_job).find('\n') + 1);
    const auto timeline =
        read_text(first + "{\"event\":\"new\",\"time_s\":101}\n{\"event\":\"pace\",\"ti");
    EXPECT_TRUE(timeline.paces.empty());
    EXPECT_FALSE(timeline.ended);
    EXPECT_DOUBLE_EQ(timeline.ended_at_s, 1);
}

TEST(Timeline, RefusesWhatIsNoRecord) {
    const std::string first(short_job, std::string(short_job).find('\n') + 1);
    for (const std::string& text :
         {std::string(), std::string("{\"event\":\"pace\",\"time_s\":1}\n"), first + "garbage\n",
          first + "{\"event\":\"pace\",\"time_s\":1}\n", first + "[]\n",
          first + "{\"event\":\"resize\",\"time_s\":\"soon\"}\n"})
        EXPECT_THROW(read_text(text), InputError) << text;
}

}  // namespace
}  // namespace ductile::report::timeline_test
