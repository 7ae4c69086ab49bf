// What `ductile run` was started in: the context that every rank on every host gets (design,
// section 4, "Launch").
#pragma once

#include <string>
#include <vector>

#include "broker/launch_spec.hpp"
#include "mpi/capabilities.hpp"

namespace ductile::cli {

/// The environment (cleaned, plus what the MPI needs, plus `extra` NAME=VALUE or NAME), directory,
/// umask and limits of this process, and the launcher's command line. `shared_cores`: ranks
/// that wait are to give their core up.
broker::LaunchSpec capture_context(const mpi::Capabilities& mpi, const std::string& mpiexec,
                                   const std::vector<std::string>& extra, bool shared_cores);

/// The program's absolute path: as given when it has a slash, else found in PATH. Throws InputError
/// when there is no such executable file.
std::string find_program(const std::string& name);

}  // namespace ductile::cli
