// Where a program is.
#pragma once

#include <string>

#include "rms/command_environment.hpp"

namespace ductile::rms {

/// Where a shell with this environment would find the program: by PATH, or as it stands when it
/// has a '/'. A program that is nowhere comes back as it stands.
[[nodiscard]] std::string program_path(const std::string& name, const Environment& environment);

}  // namespace ductile::rms
