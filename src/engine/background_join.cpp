#include "engine/background_join.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "core/thrown.hpp"
#include "engine/completion.hpp"
#include "mpi/abort_trap.hpp"
#include "mpi/bounded_sends.hpp"
#include "mpi/errors_return.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

struct Outcome {
    std::optional<BackgroundJoined> joined;
    bool trapped = false;   ///< the helper sleeps for ever (mpi::AbortTrap)
    bool degraded = false;  ///< this process can no longer rely on MPI
};

}  // namespace

/// The state of one join. The helper owns it, too, so that a stuck helper can be left behind.
struct BackgroundJoin::State {
    const core::TransactionId transaction;
    data::Progress progress;
    // Settings of the process, which last until the helper has left MPI.
    std::optional<mpi::AbortTrap> trap;
    std::optional<mpi::ErrorsReturn> errors_return;
    std::atomic<bool> wanted = true;
    std::uint64_t reported_steps = 0;  ///< only the link's thread uses it
    std::mutex mutex;                  ///< protects `on_working` and the outcome
    std::function<void(bool)> on_working;
    Completion<Outcome> work;

    State(core::TransactionId of, std::function<void(bool)> call)
        : transaction(of), on_working(std::move(call)) {}
    void put_back() {
        errors_return.reset();
        trap.reset();
    }
    /// Stores the outcome here before the broker hears of it.
    void end(Outcome outcome, const wire::SourceJoined& report, AgentChannel& link) {
        if (!wanted) outcome.joined.reset();
        work.end(std::move(outcome));
        link.send(report);
        const std::lock_guard lock(mutex);
        if (on_working) on_working(false);
    }
    /// Null while the helper works. Not null when it has ended, or sleeps for ever (`trapped`).
    Outcome* outcome() {
        using namespace std::chrono_literals;
        return work.ends_within(0ms) ? &work.outcome() : nullptr;
    }
};

namespace {

// Only rank 0 packs the state: all ranks get the state of rank 0.
std::string state_for_all(const BackgroundJoin::Order& order,
                          const std::vector<data::Outgoing>& mine) {
    auto state = order.state;
    state.packed = data::pack_state({}, mine);
    return pack_join_state(state);
}

BackgroundJoined join(const BackgroundJoin::Order& order, data::Progress& progress,
                      mpi::BoundedSends& bounded, std::optional<std::uint64_t>& exchange_from) {
    const auto& mpi = order.mpi;
    const auto place = mpi.peers->place_in(*order.side.local);
    auto side = order.side;
    side.local = mpi.join->own_comm(*order.side.local, side.transaction);
    if (place.rank == 0 && !side.bridge) throw SystemError("there is no bridge to the newcomers");
    mpi.join->await_newcomers(side, progress);
    mpi.join->handshake(side, progress);
    exchange_from = progress.steps();
    const auto& after = order.state.layout;
    auto mine = data::outgoing_of(order.frozen, {place.size, after.size(), &order.before, &after});
    const auto state = place.rank == 0 ? state_for_all(order, mine) : std::string();
    // Opens the connections that the exchange at the point uses again.
    const auto all =
        mpi.join->exchange_state(mpi.join->connect(side, progress), state, progress, {});
    const int found = mpi.peers->place_in(*all.comms.switching).size;
    if (found != order.ranks)
        throw SystemError("the joined communicator has " + std::to_string(found) + " ranks, not " +
                          std::to_string(order.ranks));
    MoveAhead what(all, place.size, std::move(mine), progress, mpi);
    what.agree();
    bounded.lift();  // a receiver of much data may be busy for a while
    return {all.comms, side.bridge, what.move(order.verify)};
}

}  // namespace

BackgroundJoin::BackgroundJoin(std::shared_ptr<AgentChannel> link,
                               std::function<void(bool)> on_working)
    : link_(std::move(link)), on_working_(std::move(on_working)) {}

BackgroundJoin::~BackgroundJoin() {
    finish(std::chrono::milliseconds(0));
}

void BackgroundJoin::begin(Order order) {
    const std::lock_guard lock(mutex_);
    state_ = std::make_shared<State>(order.side.transaction, on_working_);
    on_working_(true);
    std::thread([state = state_, order = std::move(order), link = link_]() mutable {
        run(state, std::move(order), *link);
    }).detach();
}

// An error that MPICH treats as fatal leaves this thread in MPI for ever. The settings of the
// process then stay, unless drop() puts them back.
void BackgroundJoin::run(const std::shared_ptr<State>& state, Order order, AgentChannel& link) {
    wire::SourceJoined report{state->transaction, false, {}, false};
    std::optional<std::uint64_t> exchange_from;  // as in ExpandAttempt
    // The program also sends meanwhile, and its receivers may be busy.
    mpi::BoundedSends bounded(mpi::BoundedSends::tries_of_a_program);
    mpi::AbortTrap::guard_this_thread([&] {
        bounded.lift();
        report.why = mpi::AbortTrap::what_happened;
        report.degraded = order.side.bridge != nullptr && exchange_from == state->progress.steps();
        state->end({std::nullopt, true, report.degraded}, report, link);
    });
    std::optional<BackgroundJoined> joined;
    try {
        state->trap.emplace();
        state->errors_return.emplace();
        joined = join(order, state->progress, bounded, exchange_from);
        report.ok = true;
    } catch (...) {
        report.why = core::text_of_thrown().substr(0, wire::limits::text_bytes);
    }
    bounded.lift();
    state->put_back();
    order.side = {};
    state->end({std::move(joined), false, false}, report, link);
}

std::shared_ptr<BackgroundJoin::State> BackgroundJoin::of(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    return state_ && state_->transaction == transaction ? state_ : nullptr;
}

void BackgroundJoin::abandon(core::TransactionId transaction) {
    if (const auto state = of(transaction)) state->progress.abandon();
}

bool BackgroundJoin::drop(core::TransactionId transaction) {
    const auto state = of(transaction);
    if (!state) return false;
    const std::lock_guard lock(state->mutex);
    state->wanted = false;
    if (auto* outcome = state->outcome()) {
        outcome->joined.reset();
        if (outcome->trapped && !outcome->degraded) state->put_back();
    }
    return true;
}

std::optional<core::TransactionId> BackgroundJoin::take_progress() {
    const std::lock_guard lock(mutex_);
    if (!state_ || !state_->wanted || state_->progress.steps() == state_->reported_steps)
        return std::nullopt;
    state_->reported_steps = state_->progress.steps();
    return state_->transaction;
}

bool BackgroundJoin::is_open() {
    const std::lock_guard lock(mutex_);
    return state_ && state_->wanted;
}

std::optional<BackgroundJoined> BackgroundJoin::take(core::TransactionId transaction) {
    const auto state = of(transaction);
    if (!state) return std::nullopt;
    const std::lock_guard lock(state->mutex);
    state->wanted = false;
    auto* outcome = state->outcome();
    return outcome == nullptr ? std::nullopt : std::exchange(outcome->joined, std::nullopt);
}

bool BackgroundJoin::finish(std::chrono::milliseconds patience) {
    std::shared_ptr<State> state;
    {
        const std::lock_guard lock(mutex_);
        state = state_;
    }
    if (!state) return true;
    state->wanted = false;
    constexpr std::chrono::milliseconds to_leave = 300ms;  // later the helper counts as stuck
    if (state->progress.abandoned()) patience = std::min(patience, to_leave);
    const bool ended = state->work.ends_within(patience);
    const std::lock_guard lock(state->mutex);
    state->on_working = nullptr;  // the owner of the function may end
    if (!ended) return false;
    auto& outcome = state->work.outcome();
    outcome.joined.reset();
    return !outcome.degraded;
}

}  // namespace ductile::engine
