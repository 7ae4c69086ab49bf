// The MPI under which a job runs: the MPI that Ductile was built for, or another MPI with the same
// binary interface (for example, MPICH and Intel MPI have the MPICH ABI).
#pragma once

#include <string>

#include "mpi/capabilities.hpp"

namespace ductile::cli {

struct MpiChoice {
    mpi::Capabilities capabilities;  ///< with the environment that the MPI's processes need
    std::string mpiexec;
    std::string library_path;  ///< must be first in LD_LIBRARY_PATH; empty: no change
};

/// The MPI in `prefix`, or the MPI that Ductile was built for if `prefix` is empty. Asks the
/// mpiexec in `prefix` for its version (20 s at most). Throws InputError that names the prefix if
/// there is no mpiexec, if mpiexec does not report its version, or if there is no library that can
/// replace that of the MPI that Ductile was built for.
MpiChoice choose_mpi(const std::string& prefix);

}  // namespace ductile::cli
