// The members of a group as a user names them.
#pragma once

#include <string>
#include <vector>

namespace ductile::cli {

/// "0,4,7-9" of 12: one entry a process. Throws InputError, naming the option, for what is no list
/// of processes 0 .. processes-1.
std::vector<bool> members_named(const std::string& option, const std::string& text, int processes);

}  // namespace ductile::cli
