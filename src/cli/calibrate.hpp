// `ductile calibrate` (docs/commands/calibrate.md).
#pragma once

#include "cli/app_declared.hpp"

namespace ductile::cli {

void add_calibrate_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cli
