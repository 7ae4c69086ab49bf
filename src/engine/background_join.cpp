#include "engine/background_join.hpp"

#include <algorithm>
#include <condition_variable>
#include <string>
#include <thread>
#include <utility>

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

/// Of the helper. `trapped`: it sleeps for ever, see mpi::AbortTrap.
enum class Stage { at_work, ended, trapped };

}  // namespace

/// Of one join. The helper owns it, too, so that it can be left behind.
struct BackgroundJoin::State {
    Order order;
    std::shared_ptr<AgentChannel> link;
    std::function<void(bool)> on_working;
    data::Progress progress;
    std::optional<std::uint64_t> exchange_from;  ///< as in ExpandAttempt

    // What holds for the process meanwhile.
    std::optional<mpi::AbortTrap> trap;
    std::optional<mpi::ErrorsReturn> errors_return;
    std::optional<mpi::BoundedSends> bounded;

    std::mutex mutex;
    std::condition_variable changed;
    Stage stage = Stage::at_work;
    bool wanted = true;
    bool degraded = false;
    std::optional<BackgroundJoined> joined;

    void begin() {
        trap.emplace();
        errors_return.emplace();
        // The program sends meanwhile, and its receivers may be at work.
        bounded.emplace(mpi::BoundedSends::tries_of_a_program);
    }
    void put_back() {
        bounded.reset();
        errors_return.reset();
        trap.reset();
    }
    void end(Stage how, std::optional<BackgroundJoined> made, const wire::SourceJoined& report) {
        {
            const std::lock_guard lock(mutex);
            if (wanted) joined = std::move(made);
            degraded = report.degraded;
        }
        link->send(report);
        const std::lock_guard lock(mutex);
        stage = how;
        if (on_working) on_working(false);
        changed.notify_all();
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

BackgroundJoined join(const BackgroundJoin::Order& order, data::Progress& progress,
                      std::optional<std::uint64_t>& exchange_from) {
    const auto all = first_ranks(order.sources->size());
    std::vector<int> ranks;
    for (const auto rank : all) ranks.push_back(rank.value);
    JoinSide side;
    side.local = mpi::share(mpi::create_group(*order.sources, ranks, tag_of(order.transaction)));
    side.bridge = order.bridge;
    side.transaction = order.transaction;
    side.partners = order.partners;
    if (order.sources->rank() == 0 && !side.bridge)
        throw SystemError("the bridge to the newcomers does not stand");
    await_newcomers(side, progress);
    meet(side, progress);
    exchange_from = progress.steps();
    BackgroundJoined joined{connect_sides(side, progress), order.bridge};
    exchange_state(joined.comms, {}, progress);  // who speaks at the point has spoken before
    const int found = joined.comms.switching->size();
    if (found != order.ranks)
        throw SystemError("the joined communicator has " + std::to_string(found) + " ranks, not " +
                          std::to_string(order.ranks));
    return joined;
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
    state_ = std::make_shared<State>();
    state_->order = std::move(order);
    state_->link = link_;
    state_->on_working = on_working_;
    on_working_(true);
    std::thread([state = state_] { run(state); }).detach();
}

void BackgroundJoin::run(const std::shared_ptr<State>& state) {
    wire::SourceJoined report{state->order.transaction, false, {}, false};
    mpi::AbortTrap::guard_this_thread([&] {
        if (state->bounded) state->bounded->lift();
        report.why = mpi::AbortTrap::what_happened;
        report.degraded =
            state->order.bridge != nullptr && state->exchange_from == state->progress.steps();
        state->end(Stage::trapped, std::nullopt, report);
    });
    std::optional<BackgroundJoined> joined;
    try {
        state->begin();
        joined = join(state->order, state->progress, state->exchange_from);
        report.ok = true;
    } catch (const std::exception& error) {
        report.why = std::string(error.what()).substr(0, wire::limits::text_bytes);
    }
    state->put_back();
    state->order.sources.reset();
    state->order.bridge.reset();
    state->end(Stage::ended, std::move(joined), report);
}

std::shared_ptr<BackgroundJoin::State> BackgroundJoin::of(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    return state_ && state_->order.transaction == transaction ? state_ : nullptr;
}

void BackgroundJoin::abandon(core::TransactionId transaction) {
    if (const auto state = of(transaction)) state->progress.abandon();
}

bool BackgroundJoin::drop(core::TransactionId transaction) {
    const auto state = of(transaction);
    if (!state) return false;
    const std::lock_guard lock(state->mutex);
    state->wanted = false;
    state->joined.reset();
    if (state->stage == Stage::trapped && !state->degraded) state->put_back();
    return true;
}

bool BackgroundJoin::is_open() {
    const std::lock_guard lock(mutex_);
    if (!state_) return false;
    const std::lock_guard inner(state_->mutex);
    return state_->wanted;
}

std::optional<BackgroundJoined> BackgroundJoin::take(core::TransactionId transaction) {
    const auto state = of(transaction);
    if (!state) return std::nullopt;
    const std::lock_guard lock(state->mutex);
    state->wanted = false;
    return std::exchange(state->joined, std::nullopt);
}

bool BackgroundJoin::finish(std::chrono::milliseconds patience) {
    std::shared_ptr<State> state;
    {
        const std::lock_guard lock(mutex_);
        state = state_;
    }
    if (!state) return true;
    std::unique_lock lock(state->mutex);
    state->wanted = false;
    state->joined.reset();
    constexpr std::chrono::milliseconds to_leave = 300ms;  // who has not left by now is stuck
    if (state->progress.abandoned()) patience = std::min(patience, to_leave);
    state->changed.wait_for(lock, patience, [&] { return state->stage != Stage::at_work; });
    if (state->stage == Stage::at_work) state->on_working = nullptr;  // its owner may end
    return state->stage != Stage::at_work && !state->degraded;
}

}  // namespace ductile::engine
