// Variables that `ductile run` sets for the program's ranks.
#pragma once

#include <map>
#include <string>

#include "broker/launch_spec.hpp"

namespace ductile::cli {

/// In place of those of the same names.
void add_environment(broker::LaunchSpec& launch, const std::map<std::string, std::string>& more);
/// In a list of paths with colons between them.
void put_first(broker::LaunchSpec& launch, const std::string& name, const std::string& path);

}  // namespace ductile::cli
