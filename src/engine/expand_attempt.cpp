#include "engine/expand_attempt.hpp"

#include <thread>

#include "data/redistribution.hpp"

namespace ductile::engine {

using Clock = std::chrono::steady_clock;

void ExpandAttempt::start() {
    std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void ExpandAttempt::run() noexcept {
    mpi::AbortTrap::guard_this_thread([this] {
        ExpandOutcome failed;
        failed.why = mpi::AbortTrap::what_happened;
        failed.receive_left = inputs_.side.bridge != nullptr && exchange_from_ == progress_.steps();
        end(std::move(failed));
    });
    ExpandOutcome made;
    try {
        const auto begin = Clock::now();
        meet(inputs_.side, progress_);
        exchange_from_ = progress_.steps();
        made.joined = join_sides(inputs_.side, inputs_.state, progress_);
        bounded_.lift();  // a receiver of much data may be busy for a while
        const auto joined = Clock::now();
        const auto& comm = *made.joined.comms.switching;
        if (comm.size() != inputs_.sources + inputs_.newcomers)
            throw SystemError("the joined communicator has " + std::to_string(comm.size()) +
                              " ranks, not " + std::to_string(inputs_.sources + inputs_.newcomers));
        const auto parties =
            parties_of(unpack_join_state(made.joined.state), inputs_.sources, comm);
        made.parts = data::allocate_parts(core::Rank{comm.rank()}, parties, inputs_.arrays);
        made.moved = data::redistribute(comm, {parties, inputs_.arrays, made.parts}, progress_);
        made.comms = comms_after(made.joined.comms, parties, inputs_.side, progress_);
        made.join_s = std::chrono::duration<double>(joined - begin).count();
        made.redistribute_s = std::chrono::duration<double>(Clock::now() - joined).count();
        made.ok = true;
    } catch (const std::exception& error) {
        made.ok = false;
        made.why = error.what();
    }
    end(std::move(made));
}

void ExpandAttempt::end(ExpandOutcome outcome) {
    bounded_.lift();
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    ended_ = true;
    changed_.notify_all();
}

void ExpandAttempt::abandon() {
    progress_.abandon();
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
}

bool ExpandAttempt::wait(std::chrono::duration<double> without_progress) {
    std::unique_lock lock(mutex_);
    auto seen = progress_.steps();
    auto seen_at = Clock::now();
    const auto between_looks = without_progress / 8;
    while (!changed_.wait_for(lock, between_looks, [this] { return ended_ || abandoned_; })) {
        const auto now = Clock::now();
        if (progress_.steps() != seen) {
            seen = progress_.steps();
            seen_at = now;
        } else if (now - seen_at >= without_progress) {
            progress_.abandon();
            break;
        }
    }
    return ended_;
}

bool ExpandAttempt::ends_within(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return ended_; });
}

}  // namespace ductile::engine
