// `ductile plan`: a resize as a table, without a job.
#pragma once

#include "cli/app_declared.hpp"

namespace ductile::cli {

void add_plan_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cli
