// A source's attempt to join newcomers, step by step. No MPI runs here.
#include "engine/expand_attempt.hpp"

#include <gtest/gtest.h>

#include "fake_join_steps.hpp"
#include "stuck_call.hpp"

namespace ductile::engine::expand_attempt_test {
namespace {

using namespace std::chrono_literals;
using core::Rank;
using Asked = std::vector<std::string>;

const Asked all_steps{"handshake", "connect", "exchange", "comms after"};

/// All steps up to `last`.
Asked up_to(const std::string& last) {
    Asked steps;
    for (const auto& step : all_steps) {
        steps.push_back(step);
        if (step == last) break;
    }
    return steps;
}

/// Rank 1 of two sources, and a newcomer.
struct Source {
    FakeMpi mpi;
    JoinState state;
    ExpandInputs inputs;
    std::shared_ptr<ExpandAttempt> attempt;

    Source() {
        mpi.join->all = {1, 3};
        state.point = 17;
        state.targets = first_ranks(3);
        state.packed = data::pack_state({}, {});
        inputs.side.local = mpi.peers->job({1, 2}).switching;
        inputs.sources = 2;
        inputs.newcomers = 1;
    }
    void start() {
        mpi.join->state = pack_join_state(state);
        attempt = std::make_shared<ExpandAttempt>(inputs, mpi.calls());
        attempt->start();
    }
    /// Waits for the end of the helper. Returns why the attempt has failed.
    std::string failure() {
        EXPECT_TRUE(attempt->ends_within(30s));
        const auto& failure = attempt->outcome().failure;
        if (!failure) return "nothing has failed";
        EXPECT_FALSE(failure->of_program);
        EXPECT_FALSE(failure->receive_left);
        return failure->why;
    }
};

TEST(ExpandAttempt, joins_moves_and_has_the_communicators) {
    Source source;
    source.start();
    ASSERT_TRUE(source.attempt->wait(30s));
    const auto& outcome = source.attempt->outcome();
    EXPECT_FALSE(outcome.failure);
    EXPECT_EQ(source.mpi.join->take_steps(), all_steps);
    EXPECT_EQ(source.mpi.peers->take_asked(), Asked{"move to 0 1 2"});
    EXPECT_EQ(outcome.state.point, 17);
    EXPECT_EQ(outcome.moved.bytes_sent, 8);
    const auto place = source.mpi.peers->place_in(*outcome.comms.job);
    EXPECT_EQ(place.rank, 1);
    EXPECT_EQ(place.size, 3);
    EXPECT_GE(source.attempt->steps(), all_steps.size());
}

TEST(ExpandAttempt, who_is_no_target_has_no_communicator) {
    Source source;
    source.state.targets = {Rank{0}, Rank{2}};
    source.start();
    ASSERT_TRUE(source.attempt->wait(30s));
    EXPECT_FALSE(source.attempt->outcome().failure);
    EXPECT_FALSE(source.attempt->outcome().comms.job);
}

TEST(ExpandAttempt, what_fails_in_a_step_ends_it_there) {
    for (const auto& step : all_steps) {
        Source source;
        source.mpi.join->at[step] = [](data::Progress&) { throw SystemError("they are gone"); };
        source.start();
        EXPECT_TRUE(source.attempt->wait(30s));
        EXPECT_EQ(source.failure(), "they are gone");
        EXPECT_EQ(source.mpi.join->take_steps(), up_to(step));
        // What was made is kept, so that the program's thread can free it.
        const bool was_connected = step == "exchange" || step == "comms after";
        EXPECT_EQ(source.attempt->outcome().joined.comms.job != nullptr, was_connected);
        EXPECT_FALSE(source.attempt->outcome().comms.job);
    }
}

TEST(ExpandAttempt, who_waits_is_woken_in_each_step_when_it_is_given_up) {
    for (const auto& step : all_steps) {
        Source source;
        source.mpi.join->at[step] = wait_until_abandoned;
        source.start();
        source.mpi.join->await(step);
        source.attempt->abandon();
        source.attempt->wait(30s);
        EXPECT_EQ(source.failure(), "given up");
        EXPECT_EQ(source.mpi.join->take_steps(), up_to(step));
    }
}

TEST(ExpandAttempt, data_that_cannot_move_end_it) {
    Source source;
    source.mpi.peers->while_moving = [](data::Progress&) { throw SystemError("they are gone"); };
    source.start();
    EXPECT_EQ(source.failure(), "they are gone");
    EXPECT_EQ(source.mpi.join->take_steps(), up_to("exchange"));
    EXPECT_STREQ(source.attempt->part(), "data move");
    EXPECT_FALSE(source.attempt->outcome().comms.job);
}

TEST(ExpandAttempt, who_waits_for_data_is_woken_when_it_is_given_up) {
    Source source;
    source.mpi.peers->while_moving = wait_until_abandoned;
    source.start();
    source.mpi.peers->await("move to 0 1 2");
    source.attempt->abandon();
    EXPECT_EQ(source.failure(), "given up");
    EXPECT_EQ(source.mpi.join->take_steps(), up_to("exchange"));
}

TEST(ExpandAttempt, what_the_program_throws_is_said_to_be_the_programs) {
    Source source;
    source.mpi.peers->while_moving = [](data::Progress&) { throw ProgramFailed("no memory"); };
    source.start();
    ASSERT_TRUE(source.attempt->wait(30s));
    const auto& failure = source.attempt->outcome().failure;
    ASSERT_TRUE(failure);
    EXPECT_TRUE(failure->of_program);
    EXPECT_EQ(failure->why, "no memory");
    EXPECT_EQ(source.mpi.join->take_steps(), up_to("exchange"));
}

// The program's thread goes on without the helper, which is stuck.
TEST(ExpandAttempt, a_dead_side_leaves_a_helper_that_does_nothing_more) {
    for (const auto& step : all_steps) {
        Source source;
        StuckCall stuck;
        source.mpi.join->at[step] = stuck;
        source.start();
        source.mpi.join->await(step);
        EXPECT_FALSE(source.attempt->wait(20ms));
        EXPECT_FALSE(source.attempt->ends_within(0ms));
        EXPECT_STREQ(source.attempt->part(),
                     step == "comms after" ? "the new ranks report that they have all data"
                                           : "the new ranks are joined with the program's ranks");
        stuck.let_return();
        EXPECT_EQ(source.failure(), "given up");
        EXPECT_EQ(source.mpi.join->take_steps(), up_to(step));
    }
}

TEST(ExpandAttempt, others_than_the_plan_says_are_refused) {
    Source source;
    source.mpi.join->all = {1, 4};
    source.start();
    EXPECT_EQ(source.failure(), "rank 1: the joined communicator has 4 ranks, not 3");
    EXPECT_EQ(source.mpi.peers->take_asked(), Asked{});
}

TEST(ExpandAttempt, a_state_that_names_ranks_that_are_not_there_is_refused) {
    Source source;
    source.state.targets = {Rank{0}, Rank{3}};
    source.start();
    EXPECT_NE(source.failure().find("names ranks that are not there"), std::string::npos);
    EXPECT_EQ(source.mpi.peers->take_asked(), Asked{});
}

TEST(ExpandAttempt, with_tight_memory_data_move_after_the_commit) {
    Source source;
    source.inputs.memory = plan::Memory::tight;
    source.start();
    ASSERT_TRUE(source.attempt->wait(30s));
    EXPECT_FALSE(source.attempt->outcome().failure);
    EXPECT_EQ(source.mpi.peers->take_asked(), Asked{});
    source.mpi.join->take_steps();
    source.attempt->move_committed();
    EXPECT_EQ(source.mpi.peers->take_asked(), Asked{"move to 0 1 2"});
    EXPECT_EQ(source.mpi.join->take_steps(), Asked{"all moved"});
}

TEST(ExpandAttempt, what_fails_after_the_commit_comes_out) {
    for (const bool in_data : {false, true}) {
        Source source;
        source.inputs.memory = plan::Memory::tight;
        source.start();
        ASSERT_TRUE(source.attempt->wait(30s));
        const auto gone = [](data::Progress&) { throw SystemError("they are gone"); };
        if (in_data)
            source.mpi.peers->while_moving = gone;
        else
            source.mpi.join->at["all moved"] = gone;
        EXPECT_THROW(source.attempt->move_committed(), SystemError);
    }
}

TEST(ExpandAttempt, who_is_joined_already_is_not_joined_again) {
    Source source;
    source.inputs.joined = BackgroundJoined{source.mpi.peers->job({1, 3}), nullptr, {}};
    source.start();
    ASSERT_TRUE(source.attempt->wait(30s));
    EXPECT_FALSE(source.attempt->outcome().failure);
    EXPECT_EQ(source.mpi.join->take_steps(), (Asked{"exchange", "comms after"}));
}

}  // namespace
}  // namespace ductile::engine::expand_attempt_test
