// The program's leader accepts the newcomers' leader in the background.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/agent_channel.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// On the job's rank 0. A thread opens a new port for each transaction, sleeps until the broker
/// says that the newcomers' leader enters connect, and only then accepts: MPICH holds its lock in
/// accept until the first message has passed, so a lonely accept would stop the whole program (a
/// abort connector ends it then). Reports BridgePort and Bridged.
class LeaderBridge {
  public:
    explicit LeaderBridge(std::shared_ptr<AgentChannel> link) : link_(std::move(link)) {}
    ~LeaderBridge();
    LeaderBridge(const LeaderBridge&) = delete;
    LeaderBridge& operator=(const LeaderBridge&) = delete;

    // From the link's thread; none of these blocks.
    void open(core::TransactionId transaction, std::string secret);
    void accept(core::TransactionId transaction);
    void give_up(core::TransactionId transaction);

    /// The accept that was ordered last has not ended yet.
    [[nodiscard]] bool is_accepting();

    /// The bridge of this transaction, given away; null when it does not stand.
    mpi::SharedComm take(core::TransactionId transaction);

    /// Gives up and waits for the thread; false when it is still inside MPI after `patience`.
    bool finish(std::chrono::milliseconds patience);

  private:
    struct State;
    static void run(const std::shared_ptr<State>& state, AgentChannel& link);

    std::shared_ptr<AgentChannel> link_;
    std::mutex mutex_;
    std::shared_ptr<State> state_;
    std::thread thread_;
};

}  // namespace ductile::engine
