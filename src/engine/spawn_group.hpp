// A process starts a group by MPI_Comm_spawn, and what the two sides make of their
// intercommunicator.
#pragma once

#include "engine/agent_channel.hpp"
#include "engine/bridge.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// Carries the order out and reports Spawned; gives the intercommunicator, null when it failed.
/// Collective over `sources`, or, without, a matter of this process alone. Waits for the new
/// processes' MPI_Init.
mpi::Comm spawn_group(const wire::SpawnGroup& order, const mpi::Comm* sources, AgentChannel& link);

/// Does not carry the order out, since its resize has been given up, and reports that.
void leave_out(const wire::SpawnGroup& order, AgentChannel& link);

/// Whether it is the new group that has connected, and not an abort connector for one that was lost
/// meanwhile: its leader says so. Throws SystemError, on all alike, when it is not. Collective over
/// `sources`, or, without, a matter of this process alone; waits at most 2 s.
void meet_newcomers(const mpi::Comm& between, const mpi::Comm* sources,
                    const BridgeHello& expected);
/// The other side: of the new group's leader, before bridge_of_spawn. Throws SystemError when
/// nobody answers.
void greet_parents(const mpi::Comm& parents, const BridgeHello& hello);

/// The leaders' bridge over the intercommunicator of a spawn: the starting root is its rank 0, the
/// new group's leader its rank 1 (those of its further ranks, where there are any, do not matter).
/// Collective over both sides; null on who has no part in it. `by`: not `no`. `starters`: ranks of
/// the starting side.
mpi::SharedComm bridge_of_spawn(const mpi::Comm& between, wire::SpawnBridge by, int starters,
                                bool newcomers);

}  // namespace ductile::engine
