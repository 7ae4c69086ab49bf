// `ductile cluster ...` (docs/commands/cluster.md).
#pragma once

namespace CLI {
class App;
}

namespace ductile::cluster {

/// Adds the subcommand `cluster` with its own subcommands to the program. The parser runs the
/// subcommand that it finds, and writes the program's exit code to `exit_code`: 0 done, 1 refused
/// or failed, 2 a bad argument. For `exec` and `up N -- command` it is the exit code of the
/// command, or 255 if its host cannot be reached or is lost. `exit_code` must outlive `app`.
///
/// The arguments after `--` are read from /proc/self/cmdline, because CLI11 would split "[a,b]".
void add_cluster_command(CLI::App& app, int& exit_code);

}  // namespace ductile::cluster
