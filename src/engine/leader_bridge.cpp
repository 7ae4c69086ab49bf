#include "engine/leader_bridge.hpp"

#include <optional>

#include "engine/bridge.hpp"
#include "mpi/abort_trap.hpp"

namespace ductile::engine {

namespace {

constexpr int beyond_rounds = 20;  // by which newcomers number their ports (mpi::open_port)

/// Of the thread. `stuck`: inside of MPI, for ever.
enum class Stage { at_work, ended, stuck };

}  // namespace

struct LeaderBridge::State {
    core::TransactionId transaction;
    std::string secret;
    std::mutex mutex;
    std::condition_variable changed;
    bool accept = false;
    std::string given_up;  ///< why, if it is
    Stage stage = Stage::at_work;
    mpi::SharedComm bridge;

    void end(Stage how) {
        const std::lock_guard lock(mutex);
        stage = how;
        changed.notify_all();
    }
};

LeaderBridge::~LeaderBridge() {
    finish(std::chrono::milliseconds(0));
}

void LeaderBridge::open(core::TransactionId transaction, std::string secret) {
    const std::lock_guard lock(mutex_);
    if (thread_.joinable())
        thread_.detach();  // an earlier one has ended, or is stuck and holds what it needs
    state_ = std::make_shared<State>();
    state_->transaction = transaction;
    state_->secret = std::move(secret);
    thread_ = std::thread([state = state_, link = link_] { run(state, *link); });
}

void LeaderBridge::accept(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    if (!state_ || state_->transaction != transaction) return;
    const std::lock_guard inner(state_->mutex);
    state_->accept = true;
    state_->changed.notify_all();
}

void LeaderBridge::give_up(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    if (!state_ || state_->transaction != transaction) return;
    const std::lock_guard inner(state_->mutex);
    state_->given_up = "given up";
    state_->changed.notify_all();
}

bool LeaderBridge::is_accepting() {
    const std::lock_guard lock(mutex_);
    if (!state_) return false;
    const std::lock_guard inner(state_->mutex);
    return state_->accept && state_->stage == Stage::at_work;
}

mpi::SharedComm LeaderBridge::take(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    if (!state_ || state_->transaction != transaction) return nullptr;
    const std::lock_guard inner(state_->mutex);
    return std::move(state_->bridge);
}

bool LeaderBridge::finish(std::chrono::milliseconds patience) {
    const std::lock_guard lock(mutex_);
    if (!state_) return true;
    bool left = false;
    {
        std::unique_lock inner(state_->mutex);
        state_->given_up = "the program is ending";
        state_->changed.notify_all();
        state_->changed.wait_until(inner, std::chrono::steady_clock::now() + patience,
                                   [this] { return state_->stage != Stage::at_work; });
        left = state_->stage == Stage::ended;
        if (left) state_->bridge.reset();
    }
    if (thread_.joinable()) {
        if (left)
            thread_.join();
        else
            thread_.detach();
    }
    return left;
}

void LeaderBridge::run(const std::shared_ptr<State>& state, AgentChannel& link) {
    wire::Bridged outcome{state->transaction, false, {}, 0, false};
    // While it accepts: the newcomers' leader may die, which MPICH takes for fatal there.
    std::optional<mpi::AbortTrap> trap;
    mpi::AbortTrap::guard_this_thread([&] {
        trap.reset();
        outcome.why = mpi::AbortTrap::what_happened;
        outcome.degraded =
            true;  // the receive that it waited for would take the next accept's message
        state->end(Stage::stuck);
        link.send(outcome);
    });
    try {
        const auto self = mpi::duplicate_self();
        const auto port = mpi::open_port(beyond_rounds);
        link.send(wire::BridgePort{state->transaction, port});
        bool wanted = false;
        {
            std::unique_lock lock(state->mutex);
            state->changed.wait(lock, [&] { return state->accept || !state->given_up.empty(); });
            wanted = state->accept && state->given_up.empty();
            outcome.why = state->given_up;
        }
        if (wanted) trap.emplace();
        constexpr int strangers = 4;  // each could only come while the true one waits in connect
        for (int i = 0; wanted && !outcome.ok && i < strangers; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            const auto connection = mpi::accept(port, self);
            outcome.accept_s =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            const auto answer = receive_hello(connection, {state->transaction, state->secret});
            if (answer == BridgeAnswer::stranger) continue;
            if (answer == BridgeAnswer::abandoned) {
                outcome.why = "abandoned: the newcomers' leader did not connect";
                break;
            }
            auto bridge = mpi::share(mpi::merge(connection, false));
            const std::lock_guard lock(state->mutex);
            state->bridge = std::move(bridge);
            outcome.ok = true;
        }
    } catch (const std::exception& error) {
        outcome.why = error.what();
    }
    trap.reset();
    state->end(Stage::ended);
    link.send(outcome);
}

}  // namespace ductile::engine
