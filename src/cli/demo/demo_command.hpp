// `ductile demo` (docs/commands/demo.md).
#pragma once

#include <CLI/CLI.hpp>

namespace ductile::cli {

void add_demo_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cli
