// `doctor` alone, for its tests: the program `ductile` without the rest.
#include <CLI/CLI.hpp>

#include "cli/doctor/doctor.hpp"

int main(int argc, char** argv) {
    CLI::App app{"doctor for its tests"};
    app.require_subcommand(1);
    int exit_code = 0;
    ductile::cli::add_doctor_command(app, exit_code);
    CLI11_PARSE(app, argc, argv);
    return exit_code;
}
