// Where an MPI's tools are.
#pragma once

#include <string>

#include "cli/doctor/examination.hpp"

namespace ductile::cli {

/// The tools below `prefix`/bin. mpicc and mpiexec are taken from one family: `mpicc` goes with
/// `mpiexec` or `mpiexec.hydra`, Debian's `mpicc.mpich` with `mpiexec.mpich`.
[[nodiscard]] MpiInstallation find_installation(const std::string& prefix);

/// The same, for an MPI that comes without mpicc (Intel's `impi-rt`): where it has a library of
/// that name, of the same binary interface as the MPI in `other`, the mpicc of that one builds for
/// it, and `library_folder` is set.
[[nodiscard]] MpiInstallation find_installation(const std::string& prefix,
                                                const std::string& library,
                                                const std::string& other);

/// The folder below `prefix` that holds a library of this name; empty when there is none.
[[nodiscard]] std::string library_folder_in(const std::string& prefix, const std::string& library);

/// The prefix to look at when the user names none: the one that Ductile was built for, or, when
/// that is not on this machine, the one of the first mpiexec in `path` (a PATH variable's value);
/// empty when there is none.
[[nodiscard]] std::string default_prefix(const std::string& built_for, const std::string& path);

}  // namespace ductile::cli
