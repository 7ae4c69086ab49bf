// The program's leader accepts the connection of the newcomers' leader, in the background.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/agent_channel.hpp"
#include "engine/join_steps.hpp"

namespace ductile::engine {

/// On the job's rank 0. A thread opens a new port for each transaction. It sleeps until the broker
/// says that the newcomers' leader enters connect, and only then accepts. MPICH holds its lock in
/// accept until the first message arrives, so an accept without a connector would stop the whole
/// program (an abort connector then ends the accept). Reports BridgePort and Bridged.
class LeaderBridge {
  public:
    LeaderBridge(std::shared_ptr<AgentChannel> link, std::shared_ptr<JoinSteps> mpi)
        : link_(std::move(link)), mpi_(std::move(mpi)) {}
    ~LeaderBridge();
    LeaderBridge(const LeaderBridge&) = delete;
    LeaderBridge& operator=(const LeaderBridge&) = delete;

    // The link's thread calls these. None of them blocks.
    void open(core::TransactionId transaction, std::string secret);
    void accept(core::TransactionId transaction);
    void give_up(core::TransactionId transaction);

    /// The last ordered accept has not ended yet.
    [[nodiscard]] bool is_accepting();

    /// Moves the bridge of this transaction to the caller. Null if there is no bridge.
    mpi::SharedComm take(core::TransactionId transaction);

    /// Gives up and waits for the thread. False if the thread is still inside MPI after `patience`.
    bool finish(std::chrono::milliseconds patience);

  private:
    struct State;
    static void run(const std::shared_ptr<State>& state, AgentChannel& link, JoinSteps& mpi);

    std::shared_ptr<AgentChannel> link_;
    std::shared_ptr<JoinSteps> mpi_;
    std::mutex mutex_;
    std::shared_ptr<State> state_;
    std::thread thread_;
};

}  // namespace ductile::engine
