// Starts processes by MPI itself.
#pragma once

#include <string>

#include "mpi/capabilities.hpp"
#include "mpi/comm.hpp"

namespace ductile::mpi {

struct SpawnWhat {
    std::string command;  ///< a path
    int ranks = 0;
    std::string hosts;  ///< "NAME:RANKS,NAME:RANKS"
    SpawnHosts naming = SpawnHosts::by_key;
};

/// MPI_Comm_spawn or MPI_Comm_spawn_multiple (MPI 5.0, section 11.8). All ranks of `over` give the
/// same `what`. The root is rank 0. Collective over `over`. Waits until the new processes enter
/// MPI_Init, for ever if they do not. So check first that they can start. Returns the
/// intercommunicator with the new processes. Throws MpiError, and InputError if `hosts` is wrong.
Comm spawn(const SpawnWhat& what, const Comm& over);

/// The intercommunicator with the processes that started this process's MPI_COMM_WORLD. Null if
/// MPI_Comm_spawn did not start it. The caller owns it. Call this only once.
Comm take_parent();

}  // namespace ductile::mpi
