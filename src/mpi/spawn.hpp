// Processes that MPI itself starts.
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

/// MPI_Comm_spawn or MPI_Comm_spawn_multiple (MPI 5.0, section 11.8), rank 0 of `over` being the
/// root, whose `what` counts. Collective over `over`; waits until the new processes have come to
/// MPI_Init - for ever when they do not: look first whether they can. Gives the intercommunicator
/// with them. Throws MpiError.
Comm spawn(const SpawnWhat& what, const Comm& over);

/// The intercommunicator with those who started this process's MPI_COMM_WORLD; null when it was not
/// started by MPI_Comm_spawn. The caller owns it: to be called once.
Comm take_parent();

}  // namespace ductile::mpi
