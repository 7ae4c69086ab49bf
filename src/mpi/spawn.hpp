// Processes that MPI itself starts.
#pragma once

#include <string>

#include "mpi/comm.hpp"

namespace ductile::mpi {

struct SpawnWhat {
    std::string command;  ///< a path
    int ranks = 0;
    std::string hosts;  ///< the info key `hosts`: "NAME:RANKS,NAME:RANKS"
};

/// MPI_Comm_spawn (MPI 5.0, section 11.8.2), rank 0 of `over` being the root, whose `what` counts.
/// Collective over `over`; waits until the new processes have come to MPI_Init - for ever when they
/// do not: look first whether they can. Gives the intercommunicator with them. Throws MpiError.
Comm spawn(const SpawnWhat& what, const Comm& over);

/// The intercommunicator with those who started this process's MPI_COMM_WORLD; null when it was not
/// started by MPI_Comm_spawn. The caller owns it: to be called once.
Comm take_parent();

}  // namespace ductile::mpi
