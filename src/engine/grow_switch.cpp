#include "engine/grow_switch.hpp"

#include <fmt/format.h>

#include "core/thrown.hpp"
#include "engine/program_moves.hpp"
#include "engine/stopwatch.hpp"

namespace ductile::engine {

using namespace std::chrono_literals;

Obstacle GrowSwitch::prepare(std::vector<data::Outgoing> arrays) {
    arrays_ = std::move(arrays);
    if (plan_.blocking) tools_.gate.wait_for_newcomers();
    errors_return_.emplace();
    if (plan_.joined) return take_join();
    if (!tools_.member.is_leader()) return std::nullopt;
    bridge_ = tools_.bridge.take(plan_.transaction);
    if (!bridge_) bridge_ = tools_.spawner.take(plan_.transaction);
    if (auto objection = tools_.gate.objection()) return objection;
    if (!bridge_) return "there is no bridge to the newcomers";
    return wait_for_entry();
}

Obstacle GrowSwitch::take_join() {
    joined_ = tools_.background_join.take(plan_.transaction);
    if (auto objection = tools_.gate.objection()) return objection;
    if (!joined_) return "this rank is not joined with the newcomers";
    bridge_ = joined_->bridge;
    return data::changed_since(joined_->ahead, arrays_);
}

void GrowSwitch::on_first_vote(bool yes) {
    if (yes || !plan_.joined) return;
    tools_.member.health.skip_finalize = true;
    joined_.reset();
}

// MPI_Intercomm_create waits for the first message of the other leader. If MPICH meets an error in
// this wait, it treats the error as fatal and aborts the program, whatever the error handlers say.
// So this leader enters only when the other one does. (An ordinary receive, as here, does not
// notice a dead peer. If the peer dies, the broker sends a message.)
Obstacle GrowSwitch::wait_for_entry() {
    const Stopwatch waiting;
    Obstacle obstacle;
    tools_.mpi.join->await_entry(*bridge_, [&] {
        obstacle = tools_.gate.objection();
        if (waiting.seconds() > tools_.link.welcome().progress_s)
            obstacle = "the newcomers did not say that they enter the join";
        return obstacle.has_value();
    });
    return obstacle;
}

ExpandInputs GrowSwitch::inputs() {
    auto& member = tools_.member;
    const auto& before = member.membership().layout;
    auto everybody = before.active;
    for (const auto& range : plan_.after.active)
        if (!before.holds(range.group)) everybody.push_back(range);
    ExpandInputs inputs;
    inputs.side = {member.membership().comms.switching,
                   0,
                   bridge_,
                   false,
                   plan_.transaction,
                   partners_beyond(everybody, member.size(), core::Rank{member.rank()}),
                   true};
    if (member.is_leader())
        inputs.state = pack_join_state(
            {plan_.point, plan_.after, targets_of(before.with(plan_.added), plan_.after),
             data::pack_state(member.registry(), arrays_), plan_.redistribution, plan_.memory});
    inputs.joined = joined_;
    inputs.arrays = arrays_;
    inputs.verify = tools_.link.welcome().verify;
    inputs.memory = plan_.memory;
    inputs.schema = telling_moves(member.hooks().schema, tools_.link, plan_.transaction);
    inputs.sources = member.size();
    inputs.newcomers = core::ranks_of(plan_.added);
    return inputs;
}

void GrowSwitch::begin_attempt() {
    auto given = inputs();
    trap_.emplace();
    attempt_ = std::make_shared<ExpandAttempt>(std::move(given), tools_.mpi);
    tools_.progress.watch(plan_.transaction, attempt_);
    tools_.link.set_ticking(true);
    attempt_->start();
    tools_.gate.on_newcomers_lost([weak = std::weak_ptr(attempt_)] {
        if (const auto alive = weak.lock()) alive->abandon();
    });
}

Obstacle GrowSwitch::carry_out(SwitchReport&) {
    if (tools_.member.is_leader()) tools_.link.send(wire::Progress{plan_.transaction});
    begin_attempt();
    const auto patience = std::chrono::duration<double>(tools_.link.welcome().progress_s);
    const bool ended = attempt_->wait(patience);
    if (ended) tell_of_program(attempt_->outcome());
    if (auto late = tools_.gate.objection()) return late;
    return obstacle_of_attempt(ended);
}

// Other ranks may wait inside MPI for this rank, whose callback failed.
void GrowSwitch::tell_of_program(const ExpandOutcome& outcome) {
    if (!outcome.failure || !outcome.failure->of_program) return;
    tools_.link.send(wire::SwitchFailed{plan_.transaction,
                                        outcome.failure->why.substr(0, wire::limits::text_bytes)});
}

Obstacle GrowSwitch::obstacle_of_attempt(bool ended) {
    if (!ended)
        return fmt::format("no progress for {:g} s (--progress-within) while {}",
                           tools_.link.welcome().progress_s, attempt_->part());
    const auto& outcome = attempt_->outcome();
    if (outcome.failure) return outcome.failure->why;
    try {
        data::expect_same(tools_.member.registry(), arrays_,
                          data::unpack_state(outcome.state.packed));
    } catch (const Error& error) {
        return error.what();
    }
    return std::nullopt;
}

namespace {

bool has_left_a_receive(const ExpandOutcome& outcome) {
    return outcome.failure && outcome.failure->receive_left;
}

}  // namespace

// The old communicator and data stay. A stuck helper owns the memory that it may access, which is
// never freed.
void GrowSwitch::roll_back(SwitchReport& report) {
    tools_.progress.end();
    auto& member = tools_.member;
    member.health.skip_finalize = report.unfinished = true;
    // This also waits until the helper's bounded sends have failed and MPI's lock is free.
    member.renew_switching();
    if (!attempt_->ends_within(300ms) || has_left_a_receive(attempt_->outcome()))
        member.health.degraded = true;
    if (member.health.degraded) {
        errors_return_->keep();
        trap_->keep();
    }
    tools_.link.set_ticking(member.is_leader());
}

// With tight memory the newcomers wait for the commit, and then for the data. Otherwise the helper
// has moved all data before the last vote.
void GrowSwitch::move(SwitchReport& report) {
    if (plan_.memory == plan::Memory::tight) move_after_commit();
    tools_.progress.end();
    const auto& outcome = attempt_->outcome();
    report.join_s = outcome.join_s;
    report.redistribute_s = outcome.redistribute_s;
    report.bytes_sent = outcome.moved.bytes_sent;
    if (joined_) report.bytes_sent_ahead = joined_->ahead.moved.bytes_sent;
    report.peak_bytes = outcome.moved.bytes_new;
}

void GrowSwitch::move_after_commit() {
    static const std::string cannot_be_undone =
        "the data were on their way with tight memory, which cannot be undone: ";
    if (tools_.member.is_leader()) tools_.link.send(wire::Committed{plan_.transaction});
    if (bridge_) tools_.mpi.join->tell_commit(*bridge_);
    try {
        attempt_->move_committed();
    } catch (const ProgramFailed&) {
        throw;
    } catch (const data::Abandoned&) {
        throw SystemError(cannot_be_undone +
                          tools_.gate.objection().value_or("the new ranks are lost"));
    } catch (...) {
        throw SystemError(cannot_be_undone + core::text_of_thrown());
    }
}

Adoption GrowSwitch::adopt() {
    if (bridge_ && plan_.memory == plan::Memory::keep) tools_.mpi.join->tell_commit(*bridge_);
    auto& outcome = attempt_->outcome();
    if (!outcome.comms.job) return {{}, Fate::leaves};  // others have all data of this rank
    auto& member = tools_.member;
    const auto& state = outcome.state;
    if (!member.is_leader())
        data::adopt_values(member.registry(), data::unpack_state(state.packed));
    member.adopt_parts(outcome.parts);
    Membership next;
    next.comms = std::move(outcome.comms);
    next.layout = state.layout;
    next.point = plan_.point;
    return {std::move(next), Fate::stays};
}

}  // namespace ductile::engine
