// Where an MPI's tools are.
#pragma once

#include <string>

#include "cli/doctor/examination.hpp"

namespace ductile::cli {

/// The tools below `prefix`/bin. mpicc and mpiexec are taken from one family: `mpicc` goes with
/// `mpiexec` or `mpiexec.hydra`, Debian's `mpicc.mpich` with `mpiexec.mpich`.
[[nodiscard]] MpiInstallation find_installation(const std::string& prefix);

/// The prefix to look at when the user names none: the one that Ductile was built for, or, when
/// that is not on this machine, the one of the first mpiexec in `path` (a PATH variable's value);
/// empty when there is none.
[[nodiscard]] std::string default_prefix(const std::string& built_for, const std::string& path);

}  // namespace ductile::cli
