// `ductile doctor`: tests what an MPI or a Slurm can do, and says how to mend what fails.
#pragma once

#include "cli/app_declared.hpp"

namespace ductile::cli {

/// Adds the subcommand. After its run, `exit_code` is 0 (Ductile can use this MPI or Slurm; there
/// may be warnings), 1 (something that Ductile needs fails), 2 (doctor could not run) or 128 + the
/// signal that ended doctor.
void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cli
