// Variables that `ductile run` sets for the program's ranks.
#pragma once

#include <map>
#include <string>

#include "broker/launch_spec.hpp"
#include "mpi/capabilities.hpp"

namespace ductile::cli {

/// Adds variables. A new variable replaces an old one of the same name.
void add_environment(broker::LaunchSpec& launch, const std::map<std::string, std::string>& more);
/// Puts a path first in a variable that is a list of paths, separated by colons.
void put_first(broker::LaunchSpec& launch, const std::string& name, const std::string& path);
/// MPICH shares memory by files. If the umask takes the owner's right to read or to write, a user
/// other than root cannot open these files. Then MPICH shares no memory, and the user is told.
void share_no_memory_under_odd_umask(broker::LaunchSpec& launch, const mpi::Capabilities& mpi);

}  // namespace ductile::cli
