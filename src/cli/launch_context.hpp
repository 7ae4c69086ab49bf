// The context in which `ductile run` was started. Every rank on every host gets it
// (docs/commands/run.md).
#pragma once

#include <string>
#include <vector>

#include "broker/launch_spec.hpp"
#include "mpi/capabilities.hpp"

namespace ductile::cli {

/// Whether waiting ranks give up their core.
enum class SharedCores {
    no,
    yes,
    by_host,  ///< where a host may come to hold more ranks than its agent may use cores
};

/// The environment, directory, umask and limits of this process, and the launcher's command line.
/// The environment lacks the variables of launchers and of Ductile. In addition it has the
/// variables that the MPI needs, unless the user has set them, and `extra` (NAME=VALUE, or NAME
/// with its present value). Throws InputError for a wrong entry of `extra`, and SystemError if
/// there is no working directory.
broker::LaunchSpec capture_context(const mpi::Capabilities& mpi, const std::string& mpiexec,
                                   const std::vector<std::string>& extra, SharedCores shared_cores);

/// The program's path. A name with a slash is a path, and becomes absolute; another name is
/// searched in PATH. Throws InputError if there is no such executable file.
std::string find_program(const std::string& name);

}  // namespace ductile::cli
