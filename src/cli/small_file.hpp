// The files that a user gives.
#pragma once

#include <string>

namespace ductile::cli {

/// `what`: what is in it, for messages: "options". Throws InputError when the file cannot be read
/// or is larger than 1 MiB.
std::string read_small_file(const std::string& path, const std::string& what);

/// A reader finds all of it, or what was there before. What is no plain file (/dev/stdout) is
/// written to. Throws SystemError when that fails.
void write_small_file(const std::string& path, const std::string& text);

}  // namespace ductile::cli
