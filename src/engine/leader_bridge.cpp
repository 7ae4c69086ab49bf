#include "engine/leader_bridge.hpp"

#include "engine/bridge.hpp"

namespace ductile::engine {

using Clock = std::chrono::steady_clock;

struct LeaderBridge::State {
    core::TransactionId transaction;
    std::string secret;
    std::mutex mutex;
    std::condition_variable changed;
    bool accept = false;
    bool given_up = false;
    bool ended = false;
    mpi::SharedComm bridge;
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
    state_->given_up = true;
    state_->changed.notify_all();
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
    bool ended = false;
    {
        std::unique_lock inner(state_->mutex);
        state_->given_up = true;
        state_->changed.notify_all();
        ended = state_->changed.wait_until(inner, Clock::now() + patience,
                                           [this] { return state_->ended; });
        if (ended) state_->bridge.reset();
    }
    if (thread_.joinable()) {
        if (ended)
            thread_.join();
        else
            thread_.detach();
    }
    return ended;
}

void LeaderBridge::run(const std::shared_ptr<State>& state, AgentLink& link) {
    wire::Bridged outcome{state->transaction, false, {}, 0};
    try {
        const auto self = mpi::duplicate(MPI_COMM_SELF);
        const auto port = mpi::open_port();
        link.send(wire::BridgePort{state->transaction, port});
        bool wanted = false;
        {
            std::unique_lock lock(state->mutex);
            state->changed.wait(lock, [&] { return state->accept || state->given_up; });
            wanted = state->accept && !state->given_up;
        }
        constexpr int strangers = 4;  // each could only come while the true one waits in connect
        for (int i = 0; wanted && !outcome.ok && i < strangers; ++i) {
            const auto begin = Clock::now();
            const auto connection = mpi::accept(port, self);
            outcome.accept_s = std::chrono::duration<double>(Clock::now() - begin).count();
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
        if (!wanted) outcome.why = "given up";
    } catch (const std::exception& error) {
        outcome.why = error.what();
    }
    {
        const std::lock_guard lock(state->mutex);
        state->ended = true;
        state->changed.notify_all();
    }
    link.send(outcome);
}

}  // namespace ductile::engine
