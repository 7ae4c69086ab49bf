// A member in a resize with newcomers (growth.hpp).
#include <gtest/gtest.h>

#include "growth.hpp"
#include "stuck_call.hpp"

namespace ductile::engine::member_growth_test {
namespace {

using Asked = std::vector<std::string>;

/// The job is unchanged, and the next point passes.
void expect_unchanged(Growth& growth) {
    EXPECT_EQ(growth.member.size(), 2);
    EXPECT_EQ(growth.member.membership().layout.size(), 2);
    EXPECT_EQ(growth.member.resize_point(), Resized::unchanged);
}

TEST(MemberGrowth, it_is_a_member_of_the_larger_job) {
    Growth growth;
    EXPECT_EQ(growth.pass_point(), Resized::resized);
    EXPECT_EQ(growth.mpi.join->take_steps(),
              (Asked{"handshake", "connect", "exchange", "comms after"}));
    EXPECT_EQ(growth.mpi.peers->take_asked(),
              (Asked{"vote of 2: yes", "move to 0 1 2", "vote of 2: yes"}));
    EXPECT_EQ(growth.member.size(), 3);
    EXPECT_EQ(growth.member.membership().layout.size(), 3);
    const auto report = growth.report();
    EXPECT_TRUE(report.committed);
    EXPECT_EQ(report.bytes_sent, 8);
    EXPECT_FALSE(growth.member.finish().skip_finalize);
}

TEST(MemberGrowth, a_no_in_the_first_vote_joins_nobody) {
    Growth growth;
    growth.mpi.peers->count = [](const Ballot&) { return Tally{}; };
    EXPECT_EQ(growth.pass_point(), Resized::unchanged);
    EXPECT_EQ(growth.mpi.join->take_steps(), Asked{});
    EXPECT_FALSE(growth.report().unfinished);
    expect_unchanged(growth);
    EXPECT_FALSE(growth.member.finish().skip_finalize);
}

TEST(MemberGrowth, a_no_in_the_last_vote_leaves_the_job_as_it_is) {
    Growth growth;
    growth.mpi.peers->count = [](const Ballot& ballot) { return Tally{ballot.point != 0}; };
    EXPECT_EQ(growth.pass_point(), Resized::unchanged);
    // The rank makes a new duplicate: a helper may still use the old one.
    EXPECT_EQ(growth.mpi.peers->take_asked(),
              (Asked{"vote of 2: yes", "move to 0 1 2", "vote of 2: yes", "duplicate"}));
    const auto report = growth.report();
    EXPECT_FALSE(report.committed);
    EXPECT_TRUE(report.unfinished);
    EXPECT_FALSE(report.degraded);
    expect_unchanged(growth);
    const auto parting = growth.member.finish();
    EXPECT_TRUE(parting.skip_finalize);
    EXPECT_FALSE(parting.stuck);
}

TEST(MemberGrowth, a_join_that_fails_is_voted_down) {
    Growth growth;
    growth.mpi.join->at["connect"] = [](data::Progress&) { throw SystemError("they are gone"); };
    EXPECT_EQ(growth.pass_point(), Resized::unchanged);
    EXPECT_EQ(growth.mpi.peers->take_asked(),
              (Asked{"vote of 2: yes", "vote of 2: no", "duplicate"}));
    const auto report = growth.report();
    EXPECT_EQ(report.why, "they are gone");
    EXPECT_FALSE(report.degraded);
    expect_unchanged(growth);
}

TEST(MemberGrowth, newcomers_that_are_lost_wake_it) {
    Growth growth;
    growth.mpi.join->at["handshake"] = [&](data::Progress& progress) {
        growth.member.on_message(wire::Abandon{first, "a host died"});
        wait_until_abandoned(progress);
    };
    EXPECT_EQ(growth.pass_point(), Resized::unchanged);
    const auto report = growth.report();
    EXPECT_EQ(report.why, "a host died");
    EXPECT_TRUE(report.unfinished);
    EXPECT_FALSE(report.degraded);
    expect_unchanged(growth);
}

TEST(MemberGrowth, a_helper_that_is_stuck_degrades_the_process) {
    Growth growth;
    StuckCall stuck;
    growth.mpi.join->at["handshake"] = stuck;
    growth.agent->answer.progress_s = 1;
    EXPECT_EQ(growth.pass_point(), Resized::unchanged);
    const auto report = growth.report();
    EXPECT_EQ(report.why,
              "no progress for 1 s (--progress-within) while the new ranks are joined with the "
              "program's ranks");
    EXPECT_TRUE(report.degraded);
    expect_unchanged(growth);
    EXPECT_TRUE(growth.member.finish().stuck);
    stuck.let_return();
}

TEST(MemberGrowth, steps_of_the_join_are_progress) {
    Growth growth;
    growth.mpi.join->at["exchange"] = [&](data::Progress&) {
        growth.agent->take();
        EXPECT_TRUE(growth.agent->ticks());
        growth.member.on_tick();
        EXPECT_EQ(growth.agent->take_only<wire::Progress>()->transaction, first);
        growth.member.on_tick();
        EXPECT_TRUE(growth.agent->take().empty());
    };
    EXPECT_EQ(growth.pass_point(), Resized::resized);
    EXPECT_FALSE(growth.agent->ticks());
}

TEST(MemberGrowth, what_is_joined_before_is_not_joined_at_the_point) {
    Growth growth;
    EXPECT_TRUE(growth.join().ok);
    growth.mpi.join->take_steps();
    EXPECT_EQ(growth.pass_point(true), Resized::resized);
    EXPECT_EQ(growth.mpi.join->take_steps(), (Asked{"exchange", "comms after"}));
    EXPECT_EQ(growth.member.size(), 3);
    EXPECT_FALSE(growth.member.finish().skip_finalize);
}

TEST(MemberGrowth, who_is_not_joined_before_votes_no) {
    Growth growth;
    growth.mpi.join->at["handshake"] = [](data::Progress&) { throw SystemError("they are gone"); };
    EXPECT_FALSE(growth.join().ok);
    EXPECT_EQ(growth.pass_point(true), Resized::unchanged);
    EXPECT_EQ(growth.report().why, "this rank is not joined with the newcomers");
    expect_unchanged(growth);
    EXPECT_TRUE(growth.member.finish().skip_finalize);
}

// If a join were left unfinished, MPI_Finalize would abort.
TEST(MemberGrowth, a_join_that_is_rolled_back_before_the_point_is_dropped) {
    Growth growth;
    EXPECT_TRUE(growth.join().ok);
    growth.member.on_message(wire::ResizePending{first, false, {}});
    EXPECT_TRUE(growth.member.finish().skip_finalize);
}

}  // namespace
}  // namespace ductile::engine::member_growth_test
