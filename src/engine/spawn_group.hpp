// A process starts a group by MPI_Comm_spawn. Both sides then use the intercommunicator.
#pragma once

#include <functional>

#include "engine/agent_channel.hpp"
#include "engine/bridge.hpp"
#include "engine/spawn_steps.hpp"

namespace ductile::engine {

/// Why a start is given up, unless the broker knows another reason.
inline constexpr const char* program_is_ending = "the program is ending";

/// Carries the order out by `mpi` and reports Spawned. Returns the intercommunicator; null if the
/// start failed. See SpawnSteps::start().
mpi::SharedComm spawn_group(const wire::SpawnGroup& order, const mpi::Comm* sources,
                            SpawnSteps& mpi, AgentChannel& link);

/// Does not carry the order out, because its resize was given up. Reports that.
void leave_out(const wire::SpawnGroup& order, AgentChannel& link);

/// Starts the group by MPI. Returns the intercommunicator. Collective over `sources`; if null, this
/// process acts alone. Waits for MPI_Init of the new processes. Throws MpiError.
mpi::Comm start_group(const wire::SpawnGroup& order, const mpi::Comm* sources);

/// Checks that the new group has connected, and not an abort connector for a lost group: the leader
/// of the group sends a hello. Otherwise throws SystemError on all ranks. Collective over
/// `sources`; if null, this process acts alone. Waits until `given_up`, or for about a minute. If
/// the root of the spawn gives up, all ranks throw the reason `program_is_ending`. Precondition:
/// the leader sends the hello only when all ranks of the new group are ready for bridge_of_spawn().
void await_newcomers_hello(const mpi::Comm& between, const mpi::Comm* sources,
                           const BridgeHello& expected, const std::function<bool()>& given_up);
/// The other side: the new group's leader calls it before bridge_of_spawn. Throws TimeoutError if
/// `given_up` returns true before the answer comes.
void send_hello_to_parents(const mpi::Comm& parents, const BridgeHello& hello,
                           const std::function<bool()>& given_up);

/// The leaders' bridge over the intercommunicator of a spawn. In the bridge the root of the spawn
/// is rank 0, and the leader of the new group is rank 1. Returns null on all other ranks. With
/// by_root the bridge also contains the other new ranks, but they do not use it. Collective over
/// both sides. `by` must not be SpawnBridge::no. `starters`: number of ranks of the starting side.
mpi::SharedComm bridge_of_spawn(const mpi::Comm& between, wire::SpawnBridge by, int starters,
                                bool newcomers);

}  // namespace ductile::engine
