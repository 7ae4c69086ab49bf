// The environment of what an agent starts: ranks, a launcher, an abort connector.
#pragma once

#include <string>
#include <vector>

namespace ductile::agent {

/// Ours first, then the welcome's, without what ours replaces.
std::vector<std::string> group_environment(const std::vector<std::string>& welcome,
                                           const std::vector<std::string>& ours);

}  // namespace ductile::agent
