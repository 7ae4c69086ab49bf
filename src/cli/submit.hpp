// `ductile submit` (docs/commands/submit.md).
#pragma once

#include <string>
#include <vector>

#include "cli/app_declared.hpp"

namespace ductile::cli {

/// `rest`: the words after the first `--`.
void add_submit_command(CLI::App& app, const std::vector<std::string>& rest);

}  // namespace ductile::cli
