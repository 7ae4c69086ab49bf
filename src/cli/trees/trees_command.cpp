#include "cli/trees/trees_command.hpp"

namespace ductile::cli {

void add_trees_command(CLI::App& app, int& exit_code) {
    auto* trees = app.add_subcommand(
        "trees",
        "Process groups over balanced spanning trees: the paper's study again, and how "
        "a group comes to be, drawn");
    trees->require_subcommand(1);
    add_trees_study_command(*trees, exit_code);
    add_trees_draw_command(*trees, exit_code);
}

}  // namespace ductile::cli
