// `ductile trees`: process groups over balanced spanning trees, studied and drawn.
#pragma once

#include <CLI/CLI.hpp>

namespace ductile::cli {

void add_trees_command(CLI::App& app, int& exit_code);

/// Its two subcommands.
void add_trees_study_command(CLI::App& trees, int& exit_code);
void add_trees_draw_command(CLI::App& trees, int& exit_code);

}  // namespace ductile::cli
