// The `cluster` commands alone: what tests/cluster runs where the program `ductile` is not built.
#include <CLI/CLI.hpp>

#include "cluster/cluster_command.hpp"

int main(int argc, char** argv) {
    int exit_code = 0;
    CLI::App app{"ductile"};
    app.require_subcommand(1);
    ductile::cluster::add_cluster_command(app, exit_code);
    CLI11_PARSE(app, argc, argv);
    return exit_code;
}
