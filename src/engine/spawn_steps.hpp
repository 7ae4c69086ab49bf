// The MPI operations of a process that starts groups.
#pragma once

#include <functional>
#include <vector>

#include "mpi/comm.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::engine {

/// An interface, so that tests need neither MPI nor new processes. Any thread may call it. Each
/// step throws MpiError. `sources`: the step is collective over them; if null, this process acts
/// alone.
class SpawnSteps {
  public:
    SpawnSteps() = default;
    virtual ~SpawnSteps() = default;
    SpawnSteps(const SpawnSteps&) = delete;
    SpawnSteps& operator=(const SpawnSteps&) = delete;

    /// Returns the intercommunicator with the new group, never null. Waits for MPI_Init of the new
    /// processes.
    virtual mpi::SharedComm start(const wire::SpawnGroup& order, const mpi::Comm* sources) = 0;
    /// See await_newcomers_hello() and bridge_of_spawn(). `between`: what start() returned.
    virtual mpi::SharedComm bridge(const wire::SpawnGroup& order, const mpi::Comm& between,
                                   const mpi::Comm* sources,
                                   const std::function<bool()>& given_up) = 0;
    /// Passes readiness and ports between the groups that this process has started and the other
    /// sources that start groups. Collective over `order.peers` only. Returns early when
    /// `is_wanted` returns false.
    virtual void share_ports(const wire::SharePorts& order, const mpi::Comm& sources,
                             const std::vector<mpi::SharedComm>& children,
                             const std::function<bool()>& is_wanted) = 0;
};

}  // namespace ductile::engine
