// `ductile resize`, `renew`, `watch`, `status`, `explain`, `cancel`, `end`: commands that ask a
// job's broker.
#pragma once

#include "cli/app_declared.hpp"

namespace ductile::cli {

void add_resize_command(CLI::App& app, int& exit_code);
void add_renew_command(CLI::App& app, int& exit_code);
void add_watch_command(CLI::App& app, int& exit_code);
void add_status_command(CLI::App& app, int& exit_code);
void add_explain_command(CLI::App& app, int& exit_code);
void add_cancel_command(CLI::App& app, int& exit_code);
void add_end_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cli
