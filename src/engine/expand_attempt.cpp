#include "engine/expand_attempt.hpp"

#include <thread>

#include "data/redistribution.hpp"
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
    } catch (const std::exception& error) {
        made.failure = {error.what(), false, false};
    }
    end(std::move(made));
}

void ExpandAttempt::join(ExpandOutcome& made) {
    const Stopwatch joining;
    if (inputs_.joined) {
        made.joined = exchange_state(inputs_.joined->comms, inputs_.state, progress_);
    } else {
        meet(inputs_.side, progress_);
        exchange_from_ = progress_.steps();
        made.joined = join_sides(inputs_.side, inputs_.state, progress_);
    }
    bounded_.lift();  // a receiver of much data may be busy for a while
    made.join_s = joining.seconds();
    const int found = made.joined.comms.switching->size();
    const int expected = inputs_.sources + inputs_.newcomers;
    if (found != expected)
        throw SystemError("the joined communicator has " + std::to_string(found) + " ranks, not " +
                          std::to_string(expected));
}

void ExpandAttempt::move(ExpandOutcome& made) {
    const Stopwatch moving;
    const auto& all = *made.joined.comms.switching;
    const auto state = unpack_join_state(made.joined.state);
    const auto parties = parties_of(state, inputs_.sources, all);
    const auto ahead = inputs_.joined ? inputs_.joined->ahead : data::MovedAhead();
    made.parts = data::parts_with(ahead, core::Rank{all.rank()}, parties, inputs_.arrays);
    made.moved = data::redistribute(
        state.redistribution, all,
        data::rest_after(ahead, {parties, inputs_.arrays, made.parts, inputs_.verify}), progress_);
    made.moved.bytes_new += ahead.moved.bytes_new;
    std::optional<data::ProgramAtWork> at_work;  // until the newcomers have all, too
    if (!inputs_.schema.redistribute().empty()) at_work.emplace(progress_);
    move_own(*made.joined.comms.job, parties);
    made.comms = comms_after(made.joined.comms, parties, inputs_.side, progress_);
    made.redistribute_s = moving.seconds();
}

// A newcomer that dies is known to the program when a message to it has failed.
void ExpandAttempt::move_own(const mpi::Comm& all, const data::Parties& parties) {
    const mpi::BoundedSends bounded(mpi::BoundedSends::tries_of_a_program);
    let_program_move(inputs_.schema, all, parties);
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
