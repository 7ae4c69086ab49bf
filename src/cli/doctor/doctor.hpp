// `ductile doctor`: what an MPI can do, and what to do where it cannot.
#pragma once

#include <CLI/CLI.hpp>

namespace ductile::cli {

/// Adds the subcommand. When it has run, `exit_code` is 0 (this MPI can be used, warnings allowed),
/// 1 (something that Ductile needs fails), 2 (doctor itself could not run) or 128 + the signal that
/// ended it.
void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cli
