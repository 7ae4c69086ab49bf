// How a process that does not finalise MPI leaves its launcher.
#pragma once

namespace ductile {

/// Tells hydra (MPICH, Intel MPI) over the PMI-1 socket that this rank has finalised, and waits for
/// the answer, for a second at most. Otherwise hydra kills the other ranks of the MPI_COMM_WORLD,
/// without a message, when this process ends. Does nothing if the launcher speaks another protocol.
/// Afterwards the process must not use MPI or call MPI_Finalize.
void pmi_finalize();

}  // namespace ductile
