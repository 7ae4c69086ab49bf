// The MPI under which a job runs: the one that Ductile was built for, or another with the same
// binary interface (the MPICH ABI: MPICH, Intel MPI), which takes its place when the job starts.
#pragma once

#include <string>

#include "mpi/capabilities.hpp"

namespace ductile::cli {

struct MpiChoice {
    mpi::Capabilities capabilities;  ///< with all that its processes need in their environment
    std::string mpiexec;
    std::string library_path;  ///< to be first in LD_LIBRARY_PATH; empty: the programs find theirs
};

/// The MPI in `prefix`, or the built-in one when that is empty. Asks its mpiexec for its version
/// (within 20 s). Throws InputError that names the prefix when there is no mpiexec or no library
/// that can take the place of the built-in one.
MpiChoice choose_mpi(const std::string& prefix);

}  // namespace ductile::cli
