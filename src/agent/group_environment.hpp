// The environment that a group's launcher run gets.
#pragma once

#include <string>
#include <vector>

namespace ductile::agent {

/// The environment of a group's launcher: ours first, the welcome's without what ours replaces (and
/// without entries that have no '=').
std::vector<std::string> group_environment(const std::vector<std::string>& welcome,
                                           const std::vector<std::string>& ours);

}  // namespace ductile::agent
