#include "cli/trees/trees_command.hpp"

#include <CLI/CLI.hpp>

namespace ductile::cli {

void add_trees_command(CLI::App& app, int& exit_code) {
    auto* trees = app.add_subcommand(
        "trees",
        "Simulate how process groups are constructed over balanced spanning trees (paper: "
        "balanced-spanning-trees in docs/bibliography.md)");
    trees->require_subcommand(1);
    add_trees_study_command(*trees, exit_code);
    add_trees_draw_command(*trees, exit_code);
}

}  // namespace ductile::cli
