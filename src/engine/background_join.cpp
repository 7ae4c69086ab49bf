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
#include "mpi/wait_asleep.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

// One of its own for each of the joins that may be under way, one of them for ever.
int tag_of(core::TransactionId transaction) {
    constexpr int first = 0x0e00;
    constexpr int tags = 256;
    return first + transaction.value % tags;
}

struct Outcome {
    std::optional<BackgroundJoined> joined;
    bool trapped = false;   ///< the helper sleeps for ever, see mpi::AbortTrap
    bool degraded = false;  ///< MPI is not to be relied on
};

}  // namespace

/// Of one join. The helper owns it, too, so that it can be left behind.
struct BackgroundJoin::State {
    const core::TransactionId transaction;
    data::Progress progress;
    // What holds for the process until the helper is out.
    std::optional<mpi::AbortTrap> trap;
    std::optional<mpi::ErrorsReturn> errors_return;
    std::atomic<bool> wanted = true;
    std::uint64_t reported_steps = 0;  ///< the link's
    std::mutex mutex;                  ///< of the call, and of what was made
    std::function<void(bool)> on_working;
    Completion<Outcome> work;

    State(core::TransactionId of, std::function<void(bool)> call)
        : transaction(of), on_working(std::move(call)) {}
    void put_back() {
        errors_return.reset();
        trap.reset();
    }
    /// The join is known here before the broker hears of it.
    void end(Outcome outcome, const wire::SourceJoined& report, AgentChannel& link) {
        if (!wanted) outcome.joined.reset();
        work.end(std::move(outcome));
        link.send(report);
        const std::lock_guard lock(mutex);
        if (on_working) on_working(false);
    }
    /// Of a helper that has ended, or sleeps for ever.
    Outcome* outcome() {
        using namespace std::chrono_literals;
        return work.ends_within(0ms) ? &work.outcome() : nullptr;
    }
};

namespace {

// Asleep, as the newcomers are: what follows is waited for awake.
void await_newcomers(const JoinSide& side, data::Progress& progress) {
    const auto given_up = [&] { return progress.abandoned(); };
    if (side.bridge && !await_entry(*side.bridge, given_up)) throw data::Abandoned();
    static int word = 0;  // outlives a broadcast that is given up
    std::vector requests{MPI_REQUEST_NULL};
    mpi::check(MPI_Ibcast(&word, 1, MPI_INT, side.leader, side.local->get(), requests.data()),
               "MPI_Ibcast");
    if (!mpi::wait_any_asleep_unless(requests, given_up)) throw data::Abandoned();
}

// On rank 0; no other's is read.
std::string state_for_all(const BackgroundJoin::Order& order,
                          const std::vector<data::Outgoing>& mine) {
    auto state = order.state;
    state.packed = data::pack_state({}, mine);
    return pack_join_state(state);
}

BackgroundJoined join(const BackgroundJoin::Order& order, data::Progress& progress,
                      mpi::BoundedSends& bounded, std::optional<std::uint64_t>& exchange_from) {
    const auto& sources = *order.side.local;
    std::vector<int> ranks;
    for (const auto rank : first_ranks(sources.size())) ranks.push_back(rank.value);
    auto side = order.side;
    side.local = mpi::share(mpi::create_group(sources, ranks, tag_of(side.transaction)));
    if (sources.rank() == 0 && !side.bridge)
        throw SystemError("the bridge to the newcomers does not stand");
    await_newcomers(side, progress);
    meet(side, progress);
    exchange_from = progress.steps();
    const auto& after = order.state.layout;
    auto mine =
        data::outgoing_of(order.frozen, {sources.size(), after.size(), &order.before, &after});
    const auto state = sources.rank() == 0 ? state_for_all(order, mine) : std::string();
    // Who speaks at the point has spoken before.
    const auto all = exchange_state(connect_sides(side, progress), state, progress);
    const int found = all.comms.switching->size();
    if (found != order.ranks)
        throw SystemError("the joined communicator has " + std::to_string(found) + " ranks, not " +
                          std::to_string(order.ranks));
    MoveAhead what(all, sources.size(), std::move(mine), progress);
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

// What MPICH takes for fatal leaves this thread in MPI for ever, and with it what it has set.
void BackgroundJoin::run(const std::shared_ptr<State>& state, Order order, AgentChannel& link) {
    wire::SourceJoined report{state->transaction, false, {}, false};
    std::optional<std::uint64_t> exchange_from;  // as in ExpandAttempt
    // The program sends meanwhile, and its receivers may be at work.
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

std::optional<core::TransactionId> BackgroundJoin::news() {
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
    constexpr std::chrono::milliseconds to_leave = 300ms;  // who has not left by now is stuck
    if (state->progress.abandoned()) patience = std::min(patience, to_leave);
    const bool ended = state->work.ends_within(patience);
    const std::lock_guard lock(state->mutex);
    state->on_working = nullptr;  // its owner may end
    if (!ended) return false;
    auto& outcome = state->work.outcome();
    outcome.joined.reset();
    return !outcome.degraded;
}

}  // namespace ductile::engine
