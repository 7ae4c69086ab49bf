// The files that a user gives.
#pragma once

#include <string>

namespace ductile::cli {

/// `what`: what is in it, for messages: "options". Throws InputError when the file cannot be read
/// or is larger than 1 MiB.
std::string read_small_file(const std::string& path, const std::string& what);

}  // namespace ductile::cli
