// The members of a group in a user's notation.
#pragma once

#include <string>
#include <vector>

namespace ductile::cli {

/// Parses a list such as "0,4,7-9". The result has one entry for each process. Throws InputError
/// that names the option, if the text is no list of processes 0 .. processes-1.
std::vector<bool> members_named(const std::string& option, const std::string& text, int processes);

}  // namespace ductile::cli
