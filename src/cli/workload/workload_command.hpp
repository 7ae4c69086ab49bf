// `ductile workload` (docs/commands/workload.md).
#pragma once

#include <string>

#include "cli/app_declared.hpp"

namespace ductile::cli {

void add_workload_command(CLI::App& app, int& exit_code);

/// The file of a study, and the folder of its results.
void add_study_options(CLI::App& command, std::string& study, std::string& folder);

/// The subcommands of `ductile workload`.
void add_workload_plan_command(CLI::App& workload);
void add_workload_measure_command(CLI::App& workload, int& exit_code);
void add_workload_run_command(CLI::App& workload, int& exit_code);
void add_workload_report_command(CLI::App& workload);

}  // namespace ductile::cli
