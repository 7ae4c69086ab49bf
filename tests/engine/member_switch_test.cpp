// Members at their resize points, over MPI. Each member has a fake agent. The test, which runs on
// all ranks, plays the broker.
#include <chrono>
#include <string>
#include <thread>

#include "engine/member.hpp"
#include "engine/mpi_join_steps.hpp"
#include "expect.hpp"
#include "fake_channel.hpp"

namespace ductile::engine {
namespace {

using namespace std::chrono_literals;
using core::TransactionId;

core::Layout layout_of(int ranks) {
    return core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, ranks, {}}});
}

/// A member of the job of all ranks.
struct Rank {
    std::shared_ptr<FakeChannel> agent = std::make_shared<FakeChannel>();
    std::shared_ptr<data::Registry> registry = std::make_shared<data::Registry>();
    std::shared_ptr<Hooks> hooks = std::make_shared<Hooks>();
    double now = 100;
    Member member{agent,
                  calls_over_mpi(),
                  registry,
                  hooks,
                  core::Process{core::GroupId{0}, core::Rank{0}},
                  [this] { return now; }};
    int rank = 0, size = 0;

    Rank() {
        Membership membership;
        membership.comms = with_duplicates(mpi::duplicate(MPI_COMM_WORLD));
        rank = membership.comms.job->rank();
        size = membership.comms.job->size();
        membership.layout = layout_of(size);
        member.begin(std::move(membership));
    }
    [[nodiscard]] bool is_last() const { return rank == size - 1; }

    void ask(TransactionId transaction) { member.on_message(wire::Prepare{transaction, 1}); }
    /// Announces the next point of all ranks as the point of a resize.
    void announce(TransactionId transaction, const core::Layout& after,
                  const std::vector<wire::GroupFields>& added = {}) {
        wire::Decision decision;
        decision.transaction = transaction;
        decision.point = ++points;
        decision.after = wire::LayoutFields(after);
        decision.added = added;
        member.on_message(decision);
    }
    Resized pass() {
        ++points;
        return member.resize_point();
    }
    std::int64_t points = 0;
};

std::optional<wire::SwitchDone> report_in(const std::vector<wire::FromRank>& said) {
    if (said.empty()) return std::nullopt;
    const auto* const report = std::get_if<wire::SwitchDone>(&said.back());
    return report == nullptr ? std::nullopt : std::optional(*report);
}

bool has_arrived(const std::vector<wire::FromRank>& said) {
    return !said.empty() && std::holds_alternative<wire::Arrived>(said.front());
}

void the_leader_alone_tells_the_pace() {
    Rank me;
    expect(me.member.is_member() && me.member.rank() == me.rank && me.member.size() == me.size,
           "it is a member");
    expect(me.agent->ticks() == (me.rank == 0), "the leader ticks");
    me.pass();
    me.pass();
    me.now = 102.5;
    me.member.on_tick();
    const auto pace = me.agent->take_only<wire::Pace>();
    expect(pace.has_value() == (me.rank == 0), "the leader tells the pace");
    if (pace) expect(pace->count == 2 && pace->time_s == 102.5, "points and the time of its clock");
    me.member.finish();
}

void what_is_called_off_lets_points_pass() {
    Rank me;
    me.pass();
    me.ask(TransactionId{4});
    const auto answer = me.agent->take_only<wire::PointAnswer>();
    expect(answer && answer->transaction == TransactionId{4} && answer->count == 1 &&
               !answer->finished,
           "it says how many points it has passed");
    wire::Decision off;
    off.transaction = TransactionId{4};
    me.member.on_message(off);
    expect(me.pass() == Resized::unchanged, "the point passes");
    expect(me.agent->take().empty(), "nothing more is said");
    me.member.finish();
}

// The decision comes while the program waits at the point.
void a_point_waits_for_the_decision() {
    Rank me;
    me.ask(TransactionId{4});
    std::thread broker([&] {
        std::this_thread::sleep_for(20ms);
        wire::Decision later;
        later.transaction = TransactionId{4};
        later.point = 2;
        later.after = wire::LayoutFields(layout_of(me.size));
        me.member.on_message(later);
        me.member.on_message(wire::Abandon{TransactionId{4}, "they are gone"});
    });
    expect(me.pass() == Resized::pending, "a point before the announced one passes");
    broker.join();
    expect(me.pass() == Resized::unchanged, "the resize is voted down");
    me.member.finish();
}

void leavers_leave_and_the_others_go_on() {
    Rank me;
    me.ask(TransactionId{5});
    me.agent->take();
    me.announce(TransactionId{5}, layout_of(me.size - 1));
    bool told = false;
    me.member.before_new_membership([&] { told = true; });
    const auto result = me.member.resize_point();
    const auto said = me.agent->take();
    const auto report = report_in(said);
    expect(report && report->committed && report->why.empty(), "the resize is committed");
    expect(report && report->leader == (me.rank == 0), "the leader reports as such");
    expect(has_arrived(said) == (me.rank == 0), "the leader says that it stands at the point");
    expect(told, "what hangs on the old communicators hears of it");
    if (me.is_last()) {
        expect(result == Resized::leave && !me.member.is_member(), "the last rank leaves");
        me.member.on_message(wire::ExitPermitted{});
    } else {
        expect(result == Resized::resized && me.member.size() == me.size - 1, "the others stay");
        expect(me.member.membership().point == 1, "the count of points goes on");
    }
    const auto parting = me.member.finish();
    expect(!parting.skip_finalize && !parting.stuck, "all may finalise");
}

void terms_that_differ_are_named() {
    Rank me;
    me.hooks->terms = me.rank == 1 ? "limits of 1 to 8" : "limits of 1 to 6";
    me.ask(TransactionId{12});
    me.agent->take();
    me.announce(TransactionId{12}, layout_of(me.size - 1));
    expect(me.member.resize_point() == Resized::unchanged, "the job goes on as it is");
    const auto report = report_in(me.agent->take());
    expect(report && !report->committed, "the resize is voted down");
    if (me.rank == 1)
        expect(
            report->why ==
                "rank 1 has limits of 1 to 8, and rank 0 has limits of 1 to 6; all ranks have to "
                "have the same",
            "who differs says it");
    me.member.finish();
}

// The input of the new rank 0 is a pipe, which its agent sends later: the old rank 0 had the input.
void the_new_rank_0_waits_for_its_input() {
    Rank me;
    me.ask(TransactionId{11});
    me.announce(TransactionId{11}, layout_of(me.size).without({core::Rank{0}}, {}));
    const auto result = me.member.resize_point();
    expect(result == (me.rank == 0 ? Resized::leave : Resized::resized), "rank 0 leaves");
    expect(me.agent->waits_for_input == (me.rank == 1 ? 1 : 0), "the new one waits, nobody else");
    if (me.rank == 0) me.member.on_message(wire::ExitPermitted{});
    me.member.finish();
}

// A parked rank sleeps in its resize point until it is permitted to leave.
void a_parked_rank_leaves_when_it_may() {
    Rank me;
    const auto after = layout_of(me.size).without({}, {core::Rank{me.size - 1}});
    me.ask(TransactionId{6});
    me.agent->take();
    me.announce(TransactionId{6}, after);
    std::thread broker([&] {
        if (!me.is_last()) return;
        while (!me.agent->has_said<wire::Parked>()) std::this_thread::sleep_for(1ms);
        me.member.on_message(wire::ExitPermitted{});
    });
    const auto result = me.member.resize_point();
    broker.join();
    expect(result == (me.is_last() ? Resized::leave : Resized::resized), "it leaves");
    me.member.finish();
}

// It is enough if one rank knows that the newcomers are lost.
void lost_newcomers_change_nothing(bool on_all) {
    Rank me;
    me.ask(TransactionId{7});
    me.agent->take();
    const core::Group added{core::GroupId{1}, core::HostIndex{1}, 2, {}};
    me.announce(TransactionId{7}, layout_of(me.size).with({added}), {wire::GroupFields{added}});
    if (on_all || me.is_last())
        me.member.on_message(wire::Abandon{TransactionId{7}, "a host died"});
    // The leader must not look for its bridge: there is none.
    expect(me.member.resize_point() == Resized::unchanged, "the job goes on as it is");
    const auto report = report_in(me.agent->take());
    expect(report && !report->committed && !report->unfinished, "nothing had begun");
    if (on_all || me.is_last()) expect(report && report->why == "a host died", "it says why");
    expect(me.member.size() == me.size, "its size is the same");
    const auto parting = me.member.finish();
    expect(!parting.skip_finalize && !parting.stuck, "all may finalise");
}

// No decision will come: the ranks agree among themselves.
void a_broker_lost_after_the_answer_is_voted_around() {
    Rank me;
    me.ask(TransactionId{8});
    me.agent->take();
    MPI_Barrier(MPI_COMM_WORLD);
    me.member.on_message(wire::BrokerLost{});
    me.pass();  // waits for the vote, if that still goes on
    expect(me.pass() == Resized::unchanged, "the program goes on");
    expect(me.agent->take().empty(), "there is nobody to tell");
    me.member.on_message(wire::BrokerBack{});
    const auto report = me.agent->take_only<wire::RankReport>();
    expect(report && report->transaction == TransactionId{0} && !report->degraded &&
               !report->accepting,
           "the next broker hears how it stands");
    me.member.finish();
}

// A rank that has answered may not end before the decision.
void finish_waits_for_a_decision() {
    Rank me;
    me.ask(TransactionId{9});
    me.agent->take();
    std::thread broker([&] {
        std::this_thread::sleep_for(20ms);
        wire::Decision off;
        off.transaction = TransactionId{9};
        me.now = 1;
        me.member.on_message(off);
    });
    me.member.finish();
    expect(me.now == 1, "the decision came first");
    broker.join();
    me.ask(TransactionId{10});
    const auto answer = me.agent->take_only<wire::PointAnswer>();
    expect(answer && answer->finished, "a program that has ended says so");
}

void all() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    the_leader_alone_tells_the_pace();
    what_is_called_off_lets_points_pass();
    a_point_waits_for_the_decision();
    lost_newcomers_change_nothing(true);
    lost_newcomers_change_nothing(false);
    a_broker_lost_after_the_answer_is_voted_around();
    finish_waits_for_a_decision();
    if (size > 1) leavers_leave_and_the_others_go_on();
    if (size > 1) terms_that_differ_are_named();
    if (size > 1) the_new_rank_0_waits_for_its_input();
    if (size > 1) a_parked_rank_leaves_when_it_may();
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace ductile::engine

int main(int argc, char** argv) {
    return ductile::engine::run_on_ranks(argc, argv, ductile::engine::all);
}
