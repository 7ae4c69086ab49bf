// A process starts a group by MPI_Comm_spawn, and what the two sides make of their
// intercommunicator.
#pragma once

#include "engine/agent_link.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// Carries the order out and reports Spawned; gives the intercommunicator, null when it failed.
/// Collective over `sources`, or, without, a matter of this process alone. Waits for the new
/// processes' MPI_Init.
mpi::Comm spawn_group(const wire::SpawnGroup& order, const mpi::Comm* sources, AgentLink& link);

/// Does not carry the order out, since its resize has been given up, and reports that.
void leave_out(const wire::SpawnGroup& order, AgentLink& link);

/// The leaders' bridge over the intercommunicator of a spawn: the starting root is its rank 0, the
/// new group's leader its rank 1 (those of its further ranks, where there are any, do not matter).
/// Collective over both sides; null on who has no part in it. `by`: not `no`. `starters`: ranks of
/// the starting side.
mpi::SharedComm bridge_of_spawn(const mpi::Comm& between, wire::SpawnBridge by, int starters,
                                bool newcomers);

}  // namespace ductile::engine
