// Small files that a user gives.
#pragma once

#include <string>

namespace ductile::cli {

/// `what`: what the file contains, for messages: "options". Throws InputError if the file cannot be
/// read or is larger than 1 MiB.
std::string read_small_file(const std::string& path, const std::string& what);

/// Replaces the file atomically: a reader finds the whole new text or the whole old text. If `path`
/// is a symbolic link, this holds for the file that it names. If that is no regular file
/// (/dev/stdout), appends to it instead. Throws SystemError if the file cannot be written.
void write_small_file(const std::string& path, const std::string& text);

}  // namespace ductile::cli
