// `ductile trees`: studies and draws process groups over balanced spanning trees.
#pragma once

#include "cli/app_declared.hpp"

namespace ductile::cli {

void add_trees_command(CLI::App& app, int& exit_code);

/// The two subcommands of `ductile trees`.
void add_trees_study_command(CLI::App& trees, int& exit_code);
void add_trees_draw_command(CLI::App& trees, int& exit_code);

}  // namespace ductile::cli
