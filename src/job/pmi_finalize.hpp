// How a process that does not finalise MPI parts from its launcher.
#pragma once

namespace ductile {

/// Tells hydra (MPICH, Intel MPI) over its PMI-1 socket that this rank has finalised, and waits for
/// the answer, a second at most. Without it hydra kills the other ranks of its MCW, silently, when
/// this process ends. Does nothing where the launcher speaks something else. MPI must not be used
/// after it, nor MPI_Finalize called.
void pmi_finalize();

}  // namespace ductile
