#include "engine/expand_attempt.hpp"

#include <thread>

namespace ductile::engine {

using Clock = std::chrono::steady_clock;

void ExpandAttempt::start() {
    std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void ExpandAttempt::run() noexcept {
    ExpandOutcome made;
    try {
        const auto begin = Clock::now();
        made.joined = join_sides(inputs_.side, inputs_.state, progress_);
        const auto joined = Clock::now();
        const auto& comm = *made.joined.comms.switching;
        if (comm.size() != inputs_.ranks_after)
            throw SystemError("the joined communicator has " + std::to_string(comm.size()) +
                              " ranks, not " + std::to_string(inputs_.ranks_after));
        const data::Parties parties{first_ranks(inputs_.ranks_before),
                                    first_ranks(inputs_.ranks_after)};
        made.parts = data::allocate_parts(core::Rank{comm.rank()}, parties, inputs_.arrays);
        made.moved = data::redistribute_p2p(comm, parties, inputs_.arrays, made.parts, progress_);
        made.join_s = std::chrono::duration<double>(joined - begin).count();
        made.redistribute_s = std::chrono::duration<double>(Clock::now() - joined).count();
        made.ok = true;
    } catch (const std::exception& error) {
        made.ok = false;
        made.why = error.what();
    }
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(made);
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
    auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(without_progress);
    for (;;) {
        if (changed_.wait_until(lock, deadline, [this] { return ended_ || abandoned_; })) break;
        if (progress_.steps() == seen) {
            progress_.abandon();
            break;
        }
        seen = progress_.steps();
        deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(without_progress);
    }
    return ended_;
}

bool ExpandAttempt::ends_within(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return ended_; });
}

std::vector<core::Rank> first_ranks(int n) {
    std::vector<core::Rank> ranks;
    for (int i = 0; i < n; ++i) ranks.push_back(core::Rank{i});
    return ranks;
}

}  // namespace ductile::engine
