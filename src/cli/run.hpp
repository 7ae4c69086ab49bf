// `ductile run`: starts a program under a broker.
#pragma once

#include <string>
#include <vector>

#include "cli/app_declared.hpp"

namespace ductile::cli {

void add_run_command(CLI::App& app, const std::vector<std::string>& program, int& exit_code);

}  // namespace ductile::cli
