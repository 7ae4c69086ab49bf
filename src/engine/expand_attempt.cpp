#include "engine/expand_attempt.hpp"

#include <thread>

#include "core/thrown.hpp"
#include "engine/program_moves.hpp"
#include "engine/stopwatch.hpp"

namespace ductile::engine {

void ExpandAttempt::start() {
    std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void ExpandAttempt::run() noexcept {
    mpi::AbortTrap::guard_this_thread([this] {
        ExpandOutcome nothing;
        nothing.failure = {mpi::AbortTrap::what_happened, false,
                           inputs_.side.bridge != nullptr && exchange_from_ == progress_.steps()};
        end(std::move(nothing));
    });
    ExpandOutcome made;
    try {
        join(made);
        move(made);
    } catch (const ProgramFailed& error) {
        made.failure = {error.what(), true, false};
    } catch (...) {
        made.failure = {core::text_of_thrown(), false, false};
    }
    end(std::move(made));
}

void ExpandAttempt::join(ExpandOutcome& made) {
    const Stopwatch joining;
    progress_.begin("the new ranks are joined with the program's ranks");
    if (inputs_.joined) {
        made.joined.comms = inputs_.joined->comms;
    } else {
        mpi_.join->handshake(inputs_.side, progress_);
        exchange_from_ = progress_.steps();
        made.joined.comms = mpi_.join->connect(inputs_.side, progress_);
    }
    made.joined =
        mpi_.join->exchange_state(made.joined.comms, inputs_.state, progress_, allocation(made));
    bounded_.lift();  // a receiver of much data may be busy for a while
    made.join_s = joining.seconds();
}

void ExpandAttempt::expect_size(int found) const {
    const int expected = inputs_.sources + inputs_.newcomers;
    if (found != expected)
        throw SystemError("the joined communicator has " + std::to_string(found) + " ranks, not " +
                          std::to_string(expected));
}

data::MovedAhead ExpandAttempt::ahead() const {
    return inputs_.joined ? inputs_.joined->ahead : data::MovedAhead();
}

// Runs before any data move, because it may fail. In a move that is given up, MPI owns the memory
// until the process ends.
OwnPart ExpandAttempt::allocation(ExpandOutcome& made) const {
    return {"rank " + std::to_string(mpi_.peers->place_in(*inputs_.side.local).rank),
            [this, &made](const JoinedSides& joined) {
                const auto me = mpi_.peers->place_in(*joined.comms.switching);
                expect_size(me.size);
                made.state = unpack_join_state(joined.state);
                made.parties = parties_of(made.state, inputs_.sources, me.size);
                made.parts =
                    data::parts_with(ahead(), core::Rank{me.rank}, made.parties, inputs_.arrays);
            }};
}

void ExpandAttempt::move(ExpandOutcome& made) {
    const Stopwatch moving;
    std::optional<data::ProgramAtWork> at_work;  // until the newcomers have all data
    if (inputs_.memory == plan::Memory::keep) {
        move_data(made);
        if (!inputs_.schema.redistribute().empty()) at_work.emplace(progress_);
        move_own(*made.joined.comms.job, made.parties);
    }
    progress_.begin("the new ranks report that they have all data");
    made.comms = mpi_.join->comms_after(made.joined.comms, made.parties, inputs_.side, progress_);
    made.redistribute_s = moving.seconds();
}

void ExpandAttempt::move_data(ExpandOutcome& made) {
    progress_.begin("data move");
    const auto moved_ahead = ahead();
    made.moved =
        mpi_.peers->move(made.state.redistribution, *made.joined.comms.switching,
                         data::rest_after(moved_ahead, {made.parties, inputs_.arrays, made.parts,
                                                        inputs_.verify, inputs_.memory}),
                         progress_);
    made.moved.bytes_new += moved_ahead.moved.bytes_new;
}

void ExpandAttempt::move_committed() {
    const Stopwatch moving;
    auto& made = outcome();
    move_data(made);
    std::optional<data::ProgramAtWork> at_work;  // until the newcomers have all data
    if (!inputs_.schema.redistribute().empty()) at_work.emplace(progress_);
    move_own(*made.joined.comms.job, made.parties);
    mpi_.join->await_all_moved(*made.joined.comms.switching, progress_);
    made.redistribute_s += moving.seconds();
}

// The program learns of a dead newcomer when a message to it fails.
void ExpandAttempt::move_own(const mpi::Comm& all, const data::Parties& parties) {
    progress_.begin("the program moves its own data");
    const mpi::BoundedSends bounded(mpi::BoundedSends::tries_of_a_program);
    let_program_move(inputs_.schema, all, parties, &progress_);
}

void ExpandAttempt::end(ExpandOutcome outcome) {
    bounded_.lift();
    work_.end(std::move(outcome));
}

void ExpandAttempt::abandon() {
    progress_.abandon();
    work_.give_up();
}

bool ExpandAttempt::wait(std::chrono::duration<double> without_progress) {
    using Waited = Completion<ExpandOutcome>::Waited;
    const auto waited = work_.wait(without_progress, progress_);
    if (waited == Waited::no_progress) progress_.abandon();
    return waited == Waited::ended;
}

}  // namespace ductile::engine
