#include "engine/spawner.hpp"

#include <condition_variable>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "engine/spawn_group.hpp"
#include "engine/spawn_tree.hpp"
#include "mpi/abort_trap.hpp"
#include "mpi/bounded_sends.hpp"

namespace ductile::engine {

namespace {

/// `stuck`: inside of MPI, for ever.
enum class Worker { none, working, stuck };

struct Order {
    StartOrder what;
    mpi::SharedComm sources;
};

struct BuiltBridge {
    core::TransactionId transaction;
    mpi::SharedComm comm;
};

}  // namespace

struct Spawner::State {
    explicit State(std::function<void(bool)> tell_working) : on_working(std::move(tell_working)) {}

    const std::function<void(bool)> on_working;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Order> orders;
    Worker worker = Worker::none;
    std::optional<core::TransactionId> given_up;
    bool sharing_stopped = false;
    BuiltBridge bridge;
    std::vector<mpi::SharedComm> dropped;  ///< to be freed on a thread that may wait for MPI

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
    void free_dropped() {
        std::vector<mpi::SharedComm> freed;
        const std::lock_guard lock(mutex);
        freed.swap(dropped);
    }
    bool shares(core::TransactionId of) {
        const std::lock_guard lock(mutex);
        return given_up != of && !sharing_stopped;
    }
    bool is_given_up(core::TransactionId of) {
        const std::lock_guard lock(mutex);
        return given_up == of;
    }
    void keep(core::TransactionId of, mpi::SharedComm made) {
        const std::lock_guard lock(mutex);
        if (given_up == of) return;
        bridge = {of, std::move(made)};
    }
};

namespace {

// The newcomers may die meanwhile, which MPICH takes for fatal.
void build_bridge(const wire::SpawnGroup& order, const mpi::Comm& between, const mpi::Comm* over,
                  AgentChannel& link, const std::function<void(mpi::SharedComm)>& keep) {
    wire::Bridged outcome{order.transaction, false, {}, 0, false};
    try {
        const mpi::AbortTrap trap;
        meet_newcomers(between, over, {order.transaction, order.secret});
        keep(bridge_of_spawn(between, order.bridge, over == nullptr ? 1 : over->size(), false));
        outcome.ok = true;
    } catch (const Error& error) {
        outcome.why = error.what();
    }
    link.send(outcome);
}

}  // namespace

Spawner::Spawner(std::shared_ptr<AgentChannel> link, std::function<void(bool)> on_working)
    : link_(std::move(link)), state_(std::make_shared<State>(std::move(on_working))) {}

Spawner::~Spawner() = default;

void Spawner::carry_out(StartOrder order, mpi::SharedComm sources) {
    const std::lock_guard lock(state_->mutex);
    state_->sharing_stopped = false;  // a broker is there
    state_->orders.push_back({std::move(order), std::move(sources)});
    if (state_->worker != Worker::none) return;
    state_->worker = Worker::working;
    state_->on_working(true);
    std::thread([state = state_, link = link_] { run(state, *link); }).detach();
}

void Spawner::give_up(core::TransactionId transaction) {
    const std::lock_guard lock(state_->mutex);
    state_->given_up = transaction;
    if (state_->bridge.transaction == transaction)
        state_->dropped.push_back(std::move(state_->bridge.comm));
}

void Spawner::stop_sharing() {
    const std::lock_guard lock(state_->mutex);
    state_->sharing_stopped = true;
}

mpi::SharedComm Spawner::take(core::TransactionId transaction) {
    const std::lock_guard lock(state_->mutex);
    auto& bridge = state_->bridge;
    return bridge.transaction == transaction ? std::move(bridge.comm) : nullptr;
}

bool Spawner::finish(std::chrono::milliseconds patience) {
    std::unique_lock lock(state_->mutex);
    state_->sharing_stopped = true;
    state_->changed.wait_for(lock, patience, [this] { return state_->worker != Worker::working; });
    state_->bridge.comm.reset();
    state_->dropped.clear();
    return state_->worker == Worker::none;
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
    std::vector<mpi::Comm> children;
    bool is_broken = false;  // one of them could not be started
    while (const auto order = state->next()) {
        const auto of = std::visit([](const auto& one) { return one.transaction; }, order->what);
        if (std::exchange(at, of) != of) {
            children.clear();
            is_broken = false;
        }
        state->free_dropped();
        if (const auto* what = std::get_if<wire::SpawnGroup>(&order->what)) {
            auto child = start(*what, order->sources, *state, link);
            is_broken = is_broken || !child;
            if (child) children.push_back(std::move(child));
        } else if (!is_broken) {
            share(std::get<wire::SharePorts>(order->what), *order->sources, children, *state);
        }
    }
}

mpi::Comm Spawner::start(const wire::SpawnGroup& what, const mpi::SharedComm& sources, State& state,
                         AgentChannel& link) {
    const bool together = what.bridge == wire::SpawnBridge::by_all;
    if (!together && state.is_given_up(what.transaction)) {
        leave_out(what, link);
        return {};
    }
    const auto over = together ? sources : nullptr;
    auto between = spawn_group(what, over.get(), link);
    if (between && what.bridge != wire::SpawnBridge::no)
        build_bridge(what, between, over.get(), link, [&](mpi::SharedComm bridge) {
            state.keep(what.transaction, std::move(bridge));
        });
    return between;
}

// Whose word fails to come is for the broker to find out.
void Spawner::share(const wire::SharePorts& what, const mpi::Comm& sources,
                    const std::vector<mpi::Comm>& children, State& state) {
    const WaitFor wait = [&](MPI_Request& request) {
        for (;;) {
            int done = 0;
            mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
            if (done != 0) return true;
            if (!state.shares(what.transaction)) {
                MPI_Request_free(&request);
                return false;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    };
    try {
        const mpi::AbortTrap trap;
        const TreeWay way{what.transaction, wait};
        const auto below = hear_children(children, way);
        if (!below) return;
        const auto all = share_among_sources(sources, what.peers, *below, way);
        const mpi::BoundedSends bounded;  // to children that have died meanwhile
        if (all) tell_children(children, *all, way);
    } catch (const Error&) {
    }
}

}  // namespace ductile::engine
