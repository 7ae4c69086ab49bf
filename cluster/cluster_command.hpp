// `ductile cluster ...` (docs/commands/cluster.md).
#pragma once

#include <CLI/CLI.hpp>

namespace ductile::cluster {

/// Adds the subcommand `cluster` and its own to the program. When one is parsed it runs at once and
/// leaves the exit code for the program in `exit_code`: 0 done, 1 refused or failed, 2 a bad
/// argument; `exec` and `up N -- command` that of the command, or 255 when its host cannot be
/// reached or is lost. `exit_code` outlives `app`.
///
/// The words of a command after `--` are read from /proc/self/cmdline: CLI11 would split "[a,b]".
void add_cluster_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cluster
