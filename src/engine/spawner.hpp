// A source starts groups by MPI_Comm_spawn, while the program computes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <variant>

#include "engine/agent_channel.hpp"
#include "engine/spawn_steps.hpp"

namespace ductile::engine {

using StartOrder = std::variant<wire::SpawnGroup, wire::SharePorts>;

/// A thread carries the orders out one after the other, and ends when there are none. MPI calls
/// cannot be cancelled: if a start hangs, the broker must end the job.
class Spawner {
  public:
    /// `on_working`: called with true when the thread begins work, with false when no orders are
    /// left. Any thread may call it, under a lock of the spawner. So it must not call the spawner.
    Spawner(std::shared_ptr<AgentChannel> link, std::shared_ptr<SpawnSteps> mpi,
            std::function<void(bool)> on_working);
    ~Spawner();
    Spawner(const Spawner&) = delete;
    Spawner& operator=(const Spawner&) = delete;

    /// `sources`: the communicator over which all sources start a group together. Never blocks.
    void carry_out(StartOrder order, mpi::SharedComm sources);
    /// take() does not return the bridge of this transaction any more; it is freed later. Groups
    /// that this process would start alone, and has not begun to start, are not started.
    void give_up(core::TransactionId transaction);

    /// The ranks of the group that this process has started for this transaction wait for the merge
    /// that makes the leaders' bridge. Before this call this process does not wait for them inside
    /// MPI.
    void merge(core::TransactionId transaction);

    /// Stops sharing the ports of groups that it has started. Without a broker nobody could make
    /// these groups members.
    void stop_sharing();

    /// Moves the bridge of this transaction to the caller. Null if there is no bridge.
    mpi::SharedComm take(core::TransactionId transaction);

    /// Waits for the thread. False if the thread is still inside MPI after `patience`.
    bool finish(std::chrono::milliseconds patience);

  private:
    struct State;
    static void run(const std::shared_ptr<State>& state, AgentChannel& link);
    static mpi::SharedComm start(const wire::SpawnGroup& what, const mpi::SharedComm& sources,
                                 State& state, AgentChannel& link);
    static void share(const wire::SharePorts& what, const mpi::Comm& sources,
                      const std::vector<mpi::SharedComm>& children, State& state);

    std::shared_ptr<AgentChannel> link_;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::engine
