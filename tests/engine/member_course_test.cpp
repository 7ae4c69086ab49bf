// The life of a member: its beginning, its points, the switches there, its end. The test plays the
// broker and the other ranks. No MPI runs here.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "engine/member.hpp"
#include "fake_channel.hpp"
#include "fake_join_steps.hpp"

namespace ductile::engine::member_course_test {
namespace {

using namespace std::chrono_literals;
using core::Rank;
using core::TransactionId;
using Asked = std::vector<std::string>;

constexpr TransactionId its_own{3}, first{4}, second{5};

core::Layout layout_of(int ranks) {
    return core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, ranks, {}}});
}

Membership membership_of(FakePeers& peers, Place place) {
    Membership membership;
    membership.comms = peers.job(place);
    membership.layout = layout_of(place.size);
    return membership;
}

/// A rank of a job of `place.size` ranks, which has passed no point yet.
struct Course {
    std::shared_ptr<FakeChannel> agent = std::make_shared<FakeChannel>();
    FakeMpi mpi;
    std::shared_ptr<FakePeers> peers = mpi.peers;
    std::shared_ptr<data::Registry> registry = std::make_shared<data::Registry>();
    std::shared_ptr<Hooks> hooks = std::make_shared<Hooks>();
    Member member{agent,
                  mpi.calls(),
                  registry,
                  hooks,
                  core::Process{core::GroupId{0}, Rank{0}},
                  [] { return 12.5; }};

    explicit Course(Place place) { member.begin(membership_of(*peers, place)); }
    Course() = default;

    /// Announces the next point of the rank as the point of a resize.
    void announce(TransactionId transaction, const core::Layout& after,
                  plan::Executor executor = plan::Executor::p2p) {
        member.on_message(wire::Prepare{transaction, 1});
        const auto answer = agent->take_only<wire::PointAnswer>();
        ASSERT_TRUE(answer);
        wire::Decision decision;
        decision.transaction = transaction;
        decision.point = answer->count + 1;
        decision.after = wire::LayoutFields(after);
        decision.redistribution = executor;
        member.on_message(decision);
    }
    /// The report of the switch, which must be the last message of the rank.
    wire::SwitchDone report() {
        const auto said = agent->take();
        const auto* const done =
            said.empty() ? nullptr : std::get_if<wire::SwitchDone>(&said.back());
        if (done == nullptr) throw std::runtime_error("the rank has not reported a switch");
        return *done;
    }
    /// Waits for a message of this type from the rank.
    template <class Message>
    void await() {
        while (!agent->has_said<Message>()) std::this_thread::sleep_for(1ms);
    }
};

// ---- the beginning ----

TEST(MemberCourse, a_member_has_the_place_that_its_communicator_gives_it) {
    Course course({1, 3});
    EXPECT_TRUE(course.member.is_member());
    EXPECT_EQ(course.member.rank(), 1);
    EXPECT_EQ(course.member.size(), 3);
    const auto& job = course.member.membership().comms.job;
    EXPECT_EQ(course.peers->handler_of(job), nullptr);  // that of MPI_COMM_WORLD
}

TEST(MemberCourse, rank_0_alone_tells_the_pace) {
    for (const int rank : {0, 1}) {
        Course course({rank, 2});
        EXPECT_EQ(course.agent->ticks(), rank == 0);
        course.member.resize_point();
        course.member.on_tick();
        const auto pace = course.agent->take_only<wire::Pace>();
        ASSERT_EQ(pace.has_value(), rank == 0);
        if (!pace) continue;
        EXPECT_EQ(pace->count, 1);
        EXPECT_EQ(pace->time_s, 12.5);
    }
}

TEST(MemberCourse, points_that_pass_ask_nothing_of_the_others) {
    Course course({0, 2});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
    EXPECT_EQ(course.peers->take_asked(), Asked{});
    EXPECT_TRUE(course.agent->take().empty());
}

// A newcomer is rank 0 only after a renewal or a baseline.
TEST(MemberCourse, a_newcomer_waits_for_the_input_if_it_is_rank_0) {
    const struct {
        wire::Role role;
        int rank, waits;
    } rows[] = {
        {wire::Role::newcomer, 0, 1}, {wire::Role::newcomer, 1, 0}, {wire::Role::initial, 0, 0}};
    for (const auto& row : rows) {
        Course course;
        course.agent->answer.role = row.role;
        course.member.begin(membership_of(*course.peers, {row.rank, 2}));
        EXPECT_EQ(course.agent->waits_for_input, row.waits);
    }
}

TEST(MemberCourse, a_newcomer_continues_the_count_of_points) {
    Course course;
    course.agent->answer.role = wire::Role::newcomer;
    course.agent->answer.transaction = its_own;
    course.member.on_message(wire::Prepare{first, 1});
    EXPECT_TRUE(course.agent->take().empty());
    auto membership = membership_of(*course.peers, {2, 3});
    membership.point = 41;
    course.member.begin(std::move(membership));
    EXPECT_EQ(course.agent->take_only<wire::PointAnswer>()->count, 41);
}

TEST(MemberCourse, what_a_new_process_prepares_is_progress) {
    Course course;
    course.agent->answer.role = wire::Role::newcomer;
    course.agent->answer.transaction = its_own;
    course.agent->answer.after = wire::LayoutFields(layout_of(2));
    std::optional<Place> place;
    course.hooks->schema.on_prepare([&](Place its) {
        place = its;
        EXPECT_TRUE(course.agent->take_only<wire::Preparing>()->on);
        EXPECT_TRUE(course.agent->ticks());
        for (int i = 0; i < 2; ++i) {
            course.member.on_tick();
            EXPECT_EQ(course.agent->take_only<wire::Progress>()->transaction, its_own);
        }
    });
    course.member.prepare();
    ASSERT_TRUE(place);
    EXPECT_EQ(place->rank, 0);
    EXPECT_EQ(place->size, 2);
    EXPECT_FALSE(course.agent->take_only<wire::Preparing>()->on);
    EXPECT_FALSE(course.agent->ticks());
    course.member.on_tick();
    EXPECT_TRUE(course.agent->take().empty());
}

// ---- at the point ----

TEST(MemberCourse, who_stays_is_a_member_of_the_smaller_job) {
    for (const int rank : {0, 1}) {
        Course course({rank, 3});
        const auto before = course.member.membership().comms.job;
        bool told = false;
        course.member.before_new_membership([&] { told = course.member.size() == 3; });
        course.announce(first, layout_of(3).without({Rank{2}}));
        EXPECT_EQ(course.member.resize_point(), Resized::resized);
        EXPECT_EQ(course.peers->take_asked(),
                  (Asked{"vote of 3: yes", "move to 0 1", "among 0 1"}));
        EXPECT_TRUE(told);
        EXPECT_EQ(course.member.rank(), rank);
        EXPECT_EQ(course.member.size(), 2);
        EXPECT_EQ(course.member.membership().layout.size(), 2);
        EXPECT_EQ(course.member.membership().point, 1);
        const auto& job = course.member.membership().comms.job;
        EXPECT_EQ(course.peers->handler_of(job), before.get());
        EXPECT_EQ(course.agent->has_said<wire::Arrived>(), rank == 0);
        const auto report = course.report();
        EXPECT_TRUE(report.committed);
        EXPECT_EQ(report.leader, rank == 0);
        EXPECT_EQ(report.bytes_sent, 8);
        EXPECT_EQ(report.peak_bytes, 16);
        EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
        EXPECT_EQ(course.agent->waits_for_input, 0);
    }
}

TEST(MemberCourse, a_ballot_names_the_resize_and_its_point) {
    Course course({1, 2});
    course.member.resize_point();
    course.announce(first, layout_of(1));
    course.member.resize_point();
    const auto ballot = course.peers->ballot();
    EXPECT_EQ(ballot.transaction, first);
    EXPECT_EQ(ballot.point, 2);
    EXPECT_TRUE(ballot.fingerprint);
}

TEST(MemberCourse, who_leaves_makes_no_communicator) {
    Course course({2, 3});
    std::vector<bool> was_member;
    course.member.before_new_membership([&] { was_member.push_back(course.member.is_member()); });
    course.announce(first, layout_of(3).without({Rank{2}}));
    EXPECT_EQ(course.member.resize_point(), Resized::leave);
    EXPECT_EQ(course.peers->take_asked(), (Asked{"vote of 3: yes", "move to 0 1"}));
    EXPECT_EQ(was_member, std::vector<bool>{true}) << "once, before its communicators end";
    EXPECT_FALSE(course.member.is_member());
    EXPECT_TRUE(course.report().committed);
    course.member.on_message(wire::ExitPermitted{});
    const auto parting = course.member.finish();
    EXPECT_FALSE(parting.skip_finalize);
    EXPECT_FALSE(parting.stuck);
}

TEST(MemberCourse, who_leaves_as_rank_0_ticks_no_more) {
    Course course({0, 2});
    course.announce(first, layout_of(2).without({Rank{0}}));
    EXPECT_EQ(course.member.resize_point(), Resized::leave);
    EXPECT_FALSE(course.agent->ticks());
    course.report();
    course.member.on_tick();
    EXPECT_TRUE(course.agent->take().empty());
    course.member.on_message(wire::ExitPermitted{});
    course.member.finish();
}

TEST(MemberCourse, the_new_rank_0_waits_for_the_input) {
    Course course({1, 2});
    course.announce(first, layout_of(2).without({Rank{0}}));
    EXPECT_EQ(course.member.resize_point(), Resized::resized);
    EXPECT_EQ(course.member.rank(), 0);
    EXPECT_EQ(course.agent->waits_for_input, 1);
    EXPECT_TRUE(course.agent->ticks());
}

TEST(MemberCourse, the_executor_is_chosen_where_the_broker_leaves_it_open) {
    Course course({0, 2});
    course.announce(first, layout_of(1), plan::Executor::automatic);
    course.member.resize_point();
    EXPECT_EQ(course.peers->used(), plan::Executor::alltoallv);  // without costs
    EXPECT_EQ(course.report().redistribution, plan::Executor::alltoallv);
}

TEST(MemberCourse, a_no_of_another_rank_changes_nothing) {
    Course course({0, 3});
    const auto before = course.member.membership().comms.job;
    course.peers->count = [](const Ballot&) { return Tally{}; };
    course.announce(first, layout_of(2));
    EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
    EXPECT_EQ(course.peers->take_asked(), Asked{"vote of 3: yes"});
    EXPECT_EQ(course.member.membership().comms.job, before);
    const auto report = course.report();
    EXPECT_FALSE(report.committed);
    EXPECT_EQ(report.why, "");
    // The next resize works as if this one had not been.
    course.peers->count = nullptr;
    course.announce(second, layout_of(2));
    EXPECT_EQ(course.member.resize_point(), Resized::resized);
}

TEST(MemberCourse, what_the_broker_has_said_meanwhile_is_a_no) {
    Course course({1, 3});
    course.announce(first, layout_of(2));
    course.member.on_message(wire::Abandon{first, "a host died"});
    EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
    EXPECT_EQ(course.peers->take_asked(), Asked{"vote of 3: no"});
    EXPECT_EQ(course.report().why, "a host died");
}

TEST(MemberCourse, what_the_program_throws_before_data_move_is_a_no) {
    Course course({1, 3});
    course.hooks->before_move.emplace_back([] { throw std::runtime_error("the disk is full"); });
    course.announce(first, layout_of(2));
    EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
    EXPECT_EQ(course.peers->take_asked(), Asked{"vote of 3: no"});
    EXPECT_EQ(course.report().why, "the program's before_move function failed: the disk is full");
}

TEST(MemberCourse, who_differs_from_rank_0_says_in_what) {
    for (const int rank : {0, 1}) {
        Course course({rank, 2});
        course.hooks->terms = rank == 0 ? "limits of 1 to 6" : "limits of 1 to 8";
        course.peers->count = [](const Ballot&) { return Tally{false, false, true}; };
        course.peers->rank_0_says(data::pack_state({}, {}));
        course.peers->rank_0_says("limits of 1 to 6");
        course.announce(first, layout_of(1));
        EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
        EXPECT_EQ(course.peers->take_asked(), (Asked{"vote of 2: yes", "text", "text"}));
        EXPECT_EQ(course.report().why,
                  rank == 0
                      ? ""
                      : "rank 1 has limits of 1 to 8, and rank 0 has limits of 1 to 6; all ranks "
                        "have to have the same");
    }
}

TEST(MemberCourse, what_the_program_rebuilds_is_progress) {
    Course course({1, 3});
    int rebuilt = 0;
    course.hooks->rebuild.emplace_back([&] {
        rebuilt = course.member.size();
        course.agent->take();
        EXPECT_TRUE(course.agent->ticks());
        course.member.on_tick();
        EXPECT_EQ(course.agent->take_only<wire::Progress>()->transaction, first);
    });
    course.announce(first, layout_of(2));
    EXPECT_EQ(course.member.resize_point(), Resized::resized);
    EXPECT_EQ(rebuilt, 2);
    EXPECT_FALSE(course.agent->ticks());
    course.report();
    course.member.on_tick();
    EXPECT_TRUE(course.agent->take().empty());
}

TEST(MemberCourse, a_prepare_at_the_point_is_answered_after_the_switch) {
    Course course({1, 3});
    course.hooks->before_move.emplace_back([&] {
        course.agent->take();
        course.member.on_message(wire::Prepare{second, 1});
        EXPECT_TRUE(course.agent->take().empty());
    });
    course.announce(first, layout_of(2));
    EXPECT_EQ(course.member.resize_point(), Resized::resized);
    EXPECT_TRUE(course.agent->has_said<wire::PointAnswer>());
}

// ---- the early vote ----

TEST(MemberCourse, no_point_passes_while_the_others_vote_early) {
    Course course({1, 2});
    std::promise<void> others;
    course.peers->count = [gate = others.get_future().share()](const Ballot&) {
        gate.wait();
        return Tally{false, true, false};
    };
    course.member.on_message(wire::Prepare{first, 1});
    course.agent->take();
    course.member.on_message(wire::BrokerLost{});
    auto point = std::async(std::launch::async, [&] { return course.member.resize_point(); });
    EXPECT_EQ(point.wait_for(20ms), std::future_status::timeout);
    others.set_value();
    EXPECT_NE(point.get(), Resized::resized);
    EXPECT_EQ(course.peers->take_asked(), Asked{"vote of 2: early"});
    EXPECT_FALSE(course.peers->ballot().yes);
    EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
    course.member.on_message(wire::BrokerBack{});
    EXPECT_TRUE(course.agent->take_only<wire::RankReport>());
}

// The agents detect the loss of a rank. So a vote that fails needs no reaction of this rank.
TEST(MemberCourse, an_early_vote_that_fails_lets_points_pass) {
    Course course({1, 2});
    course.peers->count = [](const Ballot&) -> Tally { throw SystemError("a peer is lost"); };
    course.member.on_message(wire::Prepare{first, 1});
    course.member.on_message(wire::BrokerLost{});
    course.member.resize_point();
    EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
    EXPECT_FALSE(course.member.finish().stuck);
}

// The broker died before it had asked this rank for its point.
TEST(MemberCourse, a_rank_that_was_not_asked_votes_when_it_is_called) {
    Course course({1, 2});
    course.member.on_message(wire::CallToVote{first});
    EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
    EXPECT_EQ(course.agent->take_only<wire::VotesEarly>()->transaction, first);
    course.member.on_message(wire::CallToVote{first});
    course.member.finish();
    EXPECT_EQ(course.peers->take_asked(), Asked{"vote of 2: early"});
}

TEST(MemberCourse, a_program_that_ends_waits_for_the_early_vote) {
    Course course({1, 2});
    std::promise<void> others;
    course.peers->count = [gate = others.get_future().share()](const Ballot&) {
        gate.wait();
        return Tally{false, true, false};
    };
    course.member.on_message(wire::Prepare{first, 1});
    course.member.on_message(wire::BrokerLost{});
    auto end = std::async(std::launch::async, [&] { course.member.finish(); });
    EXPECT_EQ(end.wait_for(20ms), std::future_status::timeout);
    others.set_value();
    end.get();
}

// ---- parked ----

/// Rank 2 of 3, which parks. The job then has ranks 0 and 1.
struct ParkedCourse : Course {
    std::future<Resized> point;

    ParkedCourse() : Course(Place{2, 3}) {
        announce(first, layout_of(3).without({}, {Rank{2}}));
        point = std::async(std::launch::async, [this] { return member.resize_point(); });
        await<wire::Parked>();
        agent->take();
        peers->take_asked();
    }
    void all_come_back(TransactionId by, int point_of_job) {
        JoinState state;
        state.point = point_of_job;
        state.layout = layout_of(3);
        state.packed = data::pack_state({}, {});
        peers->rank_0_says(pack_join_state(state));
        peers->give({by, 2, first_ranks(3)});
        member.on_message(wire::ComeBack{by});
    }
    Resized leave() {
        member.on_message(wire::ExitPermitted{});
        return point.get();
    }
};

TEST(MemberCourse, who_parks_says_so_and_sleeps) {
    Course course({2, 3});
    course.announce(first, layout_of(3).without({}, {Rank{2}}));
    auto point = std::async(std::launch::async, [&] { return course.member.resize_point(); });
    course.await<wire::Parked>();
    EXPECT_EQ(course.peers->take_asked(), (Asked{"vote of 3: yes", "move to 0 1"}));
    const auto said = course.agent->take();
    EXPECT_TRUE(std::holds_alternative<wire::SwitchDone>(said.front()));
    EXPECT_TRUE(std::get<wire::Parked>(said.back()).on);
    EXPECT_EQ(point.wait_for(20ms), std::future_status::timeout);
    course.member.on_message(wire::ExitPermitted{});
    EXPECT_EQ(point.get(), Resized::leave);
    EXPECT_FALSE(course.member.is_member());
    EXPECT_FALSE(course.member.finish().stuck);
}

TEST(MemberCourse, who_comes_back_is_a_member_again) {
    ParkedCourse course;
    course.all_come_back(second, 9);
    EXPECT_EQ(course.point.get(), Resized::resized);
    EXPECT_EQ(course.peers->take_asked(),
              (Asked{"among 0 1 2", "text", "vote of 3: yes", "move to 0 1 2"}));
    EXPECT_FALSE(course.agent->take_only<wire::Parked>()->on);
    EXPECT_EQ(course.member.rank(), 2);
    EXPECT_EQ(course.member.size(), 3);
    EXPECT_FALSE(course.member.membership().before_parking);
    course.member.on_message(wire::Prepare{TransactionId{6}, 1});
    EXPECT_EQ(course.agent->take_only<wire::PointAnswer>()->count, 9);
}

TEST(MemberCourse, who_comes_back_rebuilds) {
    ParkedCourse course;
    int rebuilt = 0;
    course.hooks->rebuild.emplace_back([&] { rebuilt = course.member.size(); });
    course.all_come_back(second, 9);
    course.point.get();
    EXPECT_EQ(rebuilt, 3);
}

// The members have voted no.
TEST(MemberCourse, who_is_told_to_stay_parked_sleeps_on) {
    ParkedCourse course;
    course.peers->give({second, 2, {}});
    course.member.on_message(wire::ComeBack{second});
    EXPECT_EQ(course.point.wait_for(20ms), std::future_status::timeout);
    EXPECT_EQ(course.peers->take_asked(), Asked{});
    course.all_come_back(TransactionId{6}, 9);
    EXPECT_EQ(course.point.get(), Resized::resized);
}

// Some rank votes no, for example because it has no memory for one more rank.
TEST(MemberCourse, a_no_in_the_last_vote_leaves_it_parked) {
    ParkedCourse course;
    course.peers->count = [](const Ballot&) { return Tally{}; };
    course.all_come_back(second, 9);
    course.peers->await("vote of 3: yes");
    EXPECT_EQ(course.point.wait_for(20ms), std::future_status::timeout);
    EXPECT_EQ(course.peers->take_asked(), (Asked{"among 0 1 2", "text", "vote of 3: yes"}));
    EXPECT_EQ(course.leave(), Resized::leave);
}

// If a resize is called off because the broker is lost, its verdict may arrive late.
TEST(MemberCourse, a_verdict_of_an_earlier_resize_is_passed_over) {
    ParkedCourse course;
    course.peers->give({first, 2, first_ranks(3)});
    course.all_come_back(second, 9);
    EXPECT_EQ(course.point.get(), Resized::resized);
    EXPECT_EQ(course.peers->ballot().transaction, second);
}

TEST(MemberCourse, who_waits_for_the_verdict_may_be_told_to_leave) {
    ParkedCourse course;
    course.member.on_message(wire::ComeBack{second});
    EXPECT_EQ(course.point.wait_for(20ms), std::future_status::timeout);
    EXPECT_EQ(course.leave(), Resized::leave);
    EXPECT_EQ(course.peers->take_asked(), Asked{});
}

// ---- members, and a parked rank that comes back ----

/// Rank `rank` of two. Rank 2 of 3 has parked.
struct OthersParked : Course {
    explicit OthersParked(int rank) : Course(Place{rank, 3}) {
        announce(first, layout_of(3).without({}, {Rank{2}}));
        EXPECT_EQ(member.resize_point(), Resized::resized);
        EXPECT_TRUE(member.membership().before_parking);
        agent->take();
        peers->take_asked();
    }
};

TEST(MemberCourse, rank_0_tells_the_parked_rank_to_come_back) {
    OthersParked course(0);
    course.announce(second, layout_of(3));
    EXPECT_EQ(course.member.resize_point(), Resized::resized);
    EXPECT_EQ(course.peers->take_asked(), (Asked{"vote of 2: yes", "verdict to 2", "among 0 1 2",
                                                 "text", "vote of 3: yes", "move to 0 1 2"}));
    const auto verdict = course.peers->sent().front();
    EXPECT_EQ(verdict.transaction, second);
    EXPECT_EQ(verdict.members, 2);
    EXPECT_EQ(verdict.all, first_ranks(3));
    EXPECT_EQ(course.member.size(), 3);
    EXPECT_FALSE(course.member.membership().before_parking);
}

TEST(MemberCourse, another_member_tells_nobody) {
    OthersParked course(1);
    JoinState state;
    state.layout = layout_of(3);
    state.packed = data::pack_state({}, {});
    course.peers->rank_0_says(pack_join_state(state));
    course.announce(second, layout_of(3));
    EXPECT_EQ(course.member.resize_point(), Resized::resized);
    EXPECT_TRUE(course.peers->sent().empty());
}

TEST(MemberCourse, rank_0_tells_the_parked_rank_of_a_no) {
    OthersParked course(0);
    course.peers->count = [](const Ballot&) { return Tally{}; };
    course.announce(second, layout_of(3));
    EXPECT_EQ(course.member.resize_point(), Resized::unchanged);
    EXPECT_EQ(course.peers->take_asked(), (Asked{"vote of 2: yes", "verdict to 2"}));
    EXPECT_TRUE(course.peers->sent().front().all.empty());
    EXPECT_EQ(course.member.size(), 2);
}

}  // namespace
}  // namespace ductile::engine::member_course_test
