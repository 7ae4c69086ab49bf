// The options of `ductile run` that preload a library of src/check into the ranks. The MPI
// functions of this library are called in place of those of the MPI.
#pragma once

#include "broker/job_spec.hpp"
#include "cli/settings.hpp"

namespace ductile::cli {

/// If --check is given, preloads libductile_check.so into the ranks. Throws InputError that names
/// the option if its value is wrong or the library is missing.
void preload_checks(Settings& settings, broker::LaunchSpec& launch);
/// With `--policy efficiency` or --measure-efficiency, preloads libductile_mpi_time.so, which
/// measures the time in MPI. Throws InputError if --check is given, too, or if the library is
/// missing.
void preload_mpi_time(Settings& settings, const broker::PolicySpec& policy,
                      broker::LaunchSpec& launch);

}  // namespace ductile::cli
