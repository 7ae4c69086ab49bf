// A source starts groups by MPI_Comm_spawn, beside the program.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <variant>

#include "engine/agent_channel.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

using StartOrder = std::variant<wire::SpawnGroup, wire::SharePorts>;

/// A thread that lives while there are orders carries them out one after the other. What it does
/// inside MPI cannot be called off: a start that hangs is the broker's to end, with the job.
class Spawner {
  public:
    /// `on_working`: it begins to carry orders out, or has none left; from any thread, under a lock
    /// of the spawner's, so it must not call back.
    Spawner(std::shared_ptr<AgentChannel> link, std::function<void(bool)> on_working);
    ~Spawner();
    Spawner(const Spawner&) = delete;
    Spawner& operator=(const Spawner&) = delete;

    /// `sources`: the communicator over which all of them start a group together. Never blocks.
    void carry_out(StartOrder order, mpi::SharedComm sources);
    /// Frees the bridge of this transaction, if there is one, and leaves out what it has not begun
    /// to start by itself.
    void give_up(core::TransactionId transaction);

    /// Hears no more of groups that it has started: nobody could make them members.
    void stop_sharing();

    /// The bridge of this transaction, given away; null when it does not stand.
    mpi::SharedComm take(core::TransactionId transaction);

    /// Waits for the thread; false when it is still inside MPI after `patience`.
    bool finish(std::chrono::milliseconds patience);

  private:
    struct State;
    static void run(const std::shared_ptr<State>& state, AgentChannel& link);
    static mpi::Comm start(const wire::SpawnGroup& what, const mpi::SharedComm& sources,
                           State& state, AgentChannel& link);
    static void share(const wire::SharePorts& what, const mpi::Comm& sources,
                      const std::vector<mpi::Comm>& children, State& state);

    std::shared_ptr<AgentChannel> link_;
    std::shared_ptr<State> state_;
};

}  // namespace ductile::engine
