// Whether a file can be written, asked before the work whose result it is to hold.
#pragma once

#include <string>

namespace ductile::cli {

/// Throws InputError that names the option when a file at `path` could not be made or replaced: its
/// folder is not there (and nobody makes it) or not writable, or it is a folder itself. An empty
/// path asks for no file.
enum class MissingFolder { refused, made };
void expect_place_for(const std::string& option, const std::string& path,
                      MissingFolder missing = MissingFolder::refused);

}  // namespace ductile::cli
