#include "engine/spawner.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/spawn_group.hpp"
#include "mpi/abort_trap.hpp"
#include "os/job_clock.hpp"

namespace ductile::engine {

namespace {

/// `stuck`: the thread is inside MPI for ever.
enum class Worker { none, working, stuck };

struct Order {
    StartOrder what;
    mpi::SharedComm sources;
};

/// The groups that were started for a transaction.
class StartedGroups {
  public:
    /// Frees those of another transaction.
    void begin(core::TransactionId of) {
        if (of_ != of) *this = StartedGroups(of);
    }
    /// `child`: null if the group could not be started.
    void add(mpi::SharedComm child) {
        is_broken_ = is_broken_ || !child;
        if (child) children_.push_back(std::move(child));
    }
    /// None if a group could not be started.
    std::optional<std::vector<mpi::SharedComm>> take() {
        if (is_broken_) return std::nullopt;
        return std::exchange(children_, {});
    }

    StartedGroups() = default;

  private:
    explicit StartedGroups(core::TransactionId of) : of_(of) {}

    core::TransactionId of_;
    std::vector<mpi::SharedComm> children_;
    bool is_broken_ = false;
};

/// The bridge of a transaction, or none.
class BuiltBridge {
  public:
    /// Returns what was there before.
    mpi::SharedComm put(core::TransactionId of, mpi::SharedComm comm) {
        of_ = of;
        return std::exchange(comm_, std::move(comm));
    }
    mpi::SharedComm take(std::optional<core::TransactionId> of) {
        return of_ == of ? std::exchange(comm_, nullptr) : nullptr;
    }
    void reset() { comm_.reset(); }

  private:
    core::TransactionId of_;
    mpi::SharedComm comm_;
};

}  // namespace

struct Spawner::State {
    State(std::shared_ptr<SpawnSteps> steps, std::function<void(bool)> tell_working)
        : mpi_steps(std::move(steps)), on_working(std::move(tell_working)) {}

    const std::shared_ptr<SpawnSteps> mpi_steps;
    const std::function<void(bool)> on_working;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Order> orders;
    Worker worker = Worker::none;
    std::optional<core::TransactionId> given_up;
    std::optional<core::TransactionId> to_merge;
    bool sharing_stopped = false;
    /// Only the thread uses it, without the lock. An order about these groups may come when the
    /// thread has just ended: then the next thread carries the order out.
    StartedGroups started;
    BuiltBridge bridge;  ///< if it is given up: to be freed on a thread that may wait for MPI

    std::optional<Order> next() {
        const std::lock_guard lock(mutex);
        if (orders.empty()) {
            worker = Worker::none;
            on_working(false);
            changed.notify_all();
            return std::nullopt;
        }
        auto order = std::move(orders.front());
        orders.pop_front();
        return order;
    }
    void free_given_up() {
        mpi::SharedComm freed;
        const std::lock_guard lock(mutex);
        freed = bridge.take(given_up);
    }
    /// Whether newcomers of this resize can still become members.
    bool shares(core::TransactionId of) {
        const std::lock_guard lock(mutex);
        return given_up != of && !sharing_stopped;
    }
    void stop_sharing() {
        {
            const std::lock_guard lock(mutex);
            sharing_stopped = true;
        }
        changed.notify_all();
    }
    bool is_given_up(core::TransactionId of) {
        const std::lock_guard lock(mutex);
        return given_up == of;
    }
    /// Waits until the new ranks wait for the merge. False if they cannot become members any more.
    /// If the order to merge has come, returns true even then: all sources have this order, and all
    /// must merge.
    bool await_merge(core::TransactionId of) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return to_merge == of || given_up == of || sharing_stopped; });
        return to_merge == of;
    }
    void keep(core::TransactionId of, mpi::SharedComm made) {
        mpi::SharedComm freed;
        const std::lock_guard lock(mutex);
        if (given_up == of) return;
        freed = bridge.put(of, std::move(made));
    }
};

namespace {

// `await_merge`: returns false if the new ranks cannot become members any more. `shares`: returns
// true while they can.
void build_bridge(const wire::SpawnGroup& order, AgentChannel& link,
                  const std::function<bool()>& await_merge, const std::function<bool()>& shares,
                  const std::function<void()>& make) {
    wire::Bridged outcome{order.transaction, false, {}, 0, false};
    try {
        if (await_merge()) {
            const mpi::AbortTrap trap;  // the newcomers may die now, and MPICH treats that as fatal
            make();
            outcome.ok = true;
        } else {
            outcome.why = program_is_ending;
        }
    } catch (const Error& error) {
        outcome.why = shares() ? error.what() : program_is_ending;
    }
    link.send(outcome);
}

}  // namespace

Spawner::Spawner(std::shared_ptr<AgentChannel> link, std::shared_ptr<SpawnSteps> mpi,
                 std::function<void(bool)> on_working)
    : link_(std::move(link)),
      state_(std::make_shared<State>(std::move(mpi), std::move(on_working))) {}

Spawner::~Spawner() = default;

void Spawner::carry_out(StartOrder order, mpi::SharedComm sources) {
    const std::lock_guard lock(state_->mutex);
    state_->sharing_stopped = false;  // a broker is there again
    state_->orders.push_back({std::move(order), std::move(sources)});
    if (state_->worker != Worker::none) return;
    state_->worker = Worker::working;
    state_->on_working(true);
    std::thread([state = state_, link = link_] { run(state, *link); }).detach();
}

void Spawner::give_up(core::TransactionId transaction) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->given_up = transaction;
    }
    state_->changed.notify_all();
}

void Spawner::merge(core::TransactionId transaction) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->to_merge = transaction;
    }
    state_->changed.notify_all();
}

void Spawner::stop_sharing() {
    state_->stop_sharing();
}

mpi::SharedComm Spawner::take(core::TransactionId transaction) {
    const std::lock_guard lock(state_->mutex);
    return state_->given_up == transaction ? nullptr : state_->bridge.take(transaction);
}

bool Spawner::finish(std::chrono::milliseconds patience) {
    state_->stop_sharing();
    std::unique_lock lock(state_->mutex);
    os::AwakeClock::wait_for(state_->changed, lock, patience,
                             [this] { return state_->worker != Worker::working; });
    state_->bridge.reset();
    if (state_->worker != Worker::none) return false;
    state_->started = {};
    return true;
}

void Spawner::run(const std::shared_ptr<State>& state, AgentChannel& link) {
    core::TransactionId at;
    mpi::AbortTrap::guard_this_thread([&] {
        link.send(wire::Bridged{at, false, mpi::AbortTrap::what_happened, 0, true});
        const std::lock_guard lock(state->mutex);
        state->worker = Worker::stuck;
        state->on_working(false);
        state->changed.notify_all();
    });
    auto& started = state->started;
    while (const auto order = state->next()) {
        at = std::visit([](const auto& one) { return one.transaction; }, order->what);
        started.begin(at);
        state->free_given_up();
        if (const auto* what = std::get_if<wire::SpawnGroup>(&order->what))
            started.add(start(*what, order->sources, *state, link));
        else if (const auto children = started.take())
            share(std::get<wire::SharePorts>(order->what), *order->sources, *children, *state);
    }
}

mpi::SharedComm Spawner::start(const wire::SpawnGroup& what, const mpi::SharedComm& sources,
                               State& state, AgentChannel& link) {
    const bool together = what.bridge == wire::SpawnBridge::by_all;
    if (!together && state.is_given_up(what.transaction)) {
        leave_out(what, link);
        return nullptr;
    }
    const auto* over = together ? sources.get() : nullptr;
    auto between = spawn_group(what, over, *state.mpi_steps, link);
    const auto shares = [&] { return state.shares(what.transaction); };
    if (between && what.bridge != wire::SpawnBridge::no)
        build_bridge(
            what, link, [&] { return state.await_merge(what.transaction); }, shares,
            [&] {
                state.keep(what.transaction,
                           state.mpi_steps->bridge(what, *between, over, std::not_fn(shares)));
            });
    return between;
}

void Spawner::share(const wire::SharePorts& what, const mpi::Comm& sources,
                    const std::vector<mpi::SharedComm>& children, State& state) {
    try {
        const mpi::AbortTrap trap;
        state.mpi_steps->share_ports(what, sources, children,
                                     [&] { return state.shares(what.transaction); });
    } catch (const Error&) {  // the broker finds out that the groups do not get ready
    }
}

}  // namespace ductile::engine
