#include "engine/leader_bridge.hpp"

#include <optional>

#include "mpi/abort_trap.hpp"
#include "os/job_clock.hpp"

namespace ductile::engine {

namespace {

/// The stage of the thread. `stuck`: it is inside MPI for ever.
enum class Stage { at_work, ended, stuck };

}  // namespace

struct LeaderBridge::State {
    core::TransactionId transaction;
    std::string secret;
    std::mutex mutex;
    std::condition_variable changed;
    bool accept = false;
    std::string given_up;  ///< the reason; empty: not given up
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
        thread_.detach();  // an earlier thread has ended, or is stuck and owns what it needs
    state_ = std::make_shared<State>();
    state_->transaction = transaction;
    state_->secret = std::move(secret);
    thread_ = std::thread([state = state_, link = link_, mpi = mpi_] { run(state, *link, *mpi); });
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
        os::AwakeClock::wait_for(state_->changed, inner, patience,
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

void LeaderBridge::run(const std::shared_ptr<State>& state, AgentChannel& link, JoinSteps& mpi) {
    wire::Bridged outcome{state->transaction, false, {}, 0, false};
    // Set while it accepts: the newcomers' leader may die, and MPICH treats that as fatal there.
    std::optional<mpi::AbortTrap> trap;
    mpi::AbortTrap::guard_this_thread([&] {
        trap.reset();
        outcome.why = mpi::AbortTrap::what_happened;
        outcome.degraded = true;  // its open receive would take the message of the next accept
        state->end(Stage::stuck);
        link.send(outcome);
    });
    try {
        const auto port = mpi.open_port();
        link.send(wire::BridgePort{state->transaction, port});
        bool wanted = false;
        {
            std::unique_lock lock(state->mutex);
            state->changed.wait(lock, [&] { return state->accept || !state->given_up.empty(); });
            wanted = state->accept && state->given_up.empty();
            outcome.why = state->given_up;
        }
        if (wanted) trap.emplace();
        constexpr int most_connections = 4;  // processes without the secret may connect first
        for (int i = 0; wanted && !outcome.ok && i < most_connections; ++i) {
            auto accepted = mpi.accept(port, {state->transaction, state->secret});
            outcome.accept_s = accepted.seconds;
            outcome.why = "the processes that connected do not have the secret of this resize";
            if (accepted.answer == BridgeAnswer::unauthenticated) continue;
            outcome.why = "abandoned: the newcomers' leader did not connect";
            if (accepted.answer == BridgeAnswer::abandoned) break;
            outcome.why.clear();
            const std::lock_guard lock(state->mutex);
            state->bridge = std::move(accepted.bridge);
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
