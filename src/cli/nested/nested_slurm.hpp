// `ductile nested-slurm` (docs/commands/nested-slurm.md): a Slurm on the hosts of a Slurm job.
#pragma once

#include <string>
#include <vector>

#include "cli/app_declared.hpp"

namespace ductile::cli {

/// `command`: the words after the first `--`.
void add_nested_slurm_command(CLI::App& app, const std::vector<std::string>& command,
                              int& exit_code);

}  // namespace ductile::cli
