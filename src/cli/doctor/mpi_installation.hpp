// Where an MPI's tools are.
#pragma once

#include <string>

#include "cli/doctor/examination.hpp"

namespace ductile::cli {

/// The tools below `prefix`/bin. mpicc and mpiexec come from one family: `mpicc` goes with
/// `mpiexec` or `mpiexec.hydra`, Debian's `mpicc.mpich` with `mpiexec.mpich` or `mpiexec.hydra`.
[[nodiscard]] MpiInstallation find_installation(const std::string& prefix);

/// The same, also for an MPI without mpicc (Intel's `impi-rt`). If that MPI has a library with the
/// name `library`, it has the same binary interface as the MPI in `other`. Then the mpicc of
/// `other` (mpicc_abi for the standard ABI) builds for it, and `library_folder` is set.
[[nodiscard]] MpiInstallation find_installation(const std::string& prefix,
                                                const std::string& library,
                                                const std::string& other);

/// The folder below `prefix` that holds a library of this name; empty when there is none.
[[nodiscard]] std::string library_folder_in(const std::string& prefix, const std::string& library);

/// The prefix if the user names none: that of the MPI that Ductile was built for. If that MPI is
/// not on this machine, the prefix of the first mpiexec in `path` (the value of a PATH variable).
/// If there is no mpiexec either, returns `built_for`.
[[nodiscard]] std::string default_prefix(const std::string& built_for, const std::string& path);

}  // namespace ductile::cli
