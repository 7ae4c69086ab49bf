// Checks that a file can be written, before the work that produces its content.
#pragma once

#include <string>

namespace ductile::cli {

/// What a missing folder means: an error, or the caller makes the folder.
enum class MissingFolder { refused, made };
/// Throws InputError that names the option if no file at `path` can be made or written: its folder
/// is missing (see MissingFolder) or not writable, or `path` is a folder, a FIFO, or a file that is
/// not writable. An empty path means no file.
void expect_place_for(const std::string& option, const std::string& path,
                      MissingFolder missing = MissingFolder::refused);

}  // namespace ductile::cli
