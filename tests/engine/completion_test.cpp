#include "engine/completion.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace ductile::engine::completion_test {
namespace {

using namespace std::chrono_literals;
using Work = Completion<std::string>;

TEST(ProgressDeadline, each_step_puts_it_off) {
    const ProgressDeadline::Clock::time_point begin{};
    ProgressDeadline deadline(4s, 10, begin);
    EXPECT_FALSE(deadline.has_passed(10, begin + 3s));
    EXPECT_FALSE(deadline.has_passed(11, begin + 5s));  // progress, which is noticed late
    EXPECT_FALSE(deadline.has_passed(11, begin + 8s));
    EXPECT_TRUE(deadline.has_passed(11, begin + 9s));
    EXPECT_EQ(deadline.between_looks(), 500ms);
}

TEST(Completion, is_waited_for) {
    Work work;
    data::Progress progress;
    const std::jthread helper([&] { work.end("done"); });
    EXPECT_EQ(work.wait(10s, progress), Work::Waited::ended);
    EXPECT_EQ(work.outcome(), "done");
    EXPECT_TRUE(work.ends_within(0ms));
}

TEST(Progress, each_look_finds_some_while_the_program_is_at_work) {
    data::Progress progress;
    {
        const data::ProgramAtWork at_work(progress);
        const auto seen = progress.steps();
        EXPECT_GT(progress.steps(), seen);
    }
    const auto seen = progress.steps();
    EXPECT_EQ(progress.steps(), seen);
}

TEST(Completion, nobody_waits_for_work_that_is_given_up) {
    Work work;
    data::Progress progress;
    const std::jthread other([&] { work.give_up(); });
    EXPECT_EQ(work.wait(10s, progress), Work::Waited::given_up);
    EXPECT_FALSE(work.ends_within(0ms));
    work.end("late");
    EXPECT_TRUE(work.ends_within(0ms));
    EXPECT_EQ(work.outcome(), "late");
}

TEST(Completion, what_has_ended_is_not_given_up) {
    Work work;
    data::Progress progress;
    work.end("done");
    work.give_up();
    EXPECT_EQ(work.wait(10s, progress), Work::Waited::ended);
    EXPECT_EQ(work.outcome(), "done");
}

TEST(Completion, nobody_waits_for_work_that_makes_no_step) {
    Work work;
    data::Progress progress;
    EXPECT_EQ(work.wait(20ms, progress), Work::Waited::no_progress);
}

TEST(Completion, steps_keep_it_waiting) {
    Work work;
    data::Progress progress;
    const std::jthread helper([&] {
        for (int i = 0; i < 60; ++i) {
            std::this_thread::sleep_for(10ms);
            progress.step();
        }
        work.end("done");
    });
    EXPECT_EQ(work.wait(300ms, progress), Work::Waited::ended);
}

}  // namespace
}  // namespace ductile::engine::completion_test
