// `ductile demo` (docs/commands/demo.md).
#pragma once

#include "cli/app_declared.hpp"

namespace ductile::cli {

void add_demo_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cli
