// Checks from the head whether the daemons of a cluster's Slurm are ready.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ductile::cluster {

/// Whether a process accepts connections at this Unix socket, or at this port of the head.
bool accepts(const std::string& socket_path);
bool accepts(int port);

/// Whether slurmctld reports that all `hosts` hosts are idle. False if it does not answer in 3 s.
bool are_hosts_idle(int hosts);

/// Whether this output of `sinfo -h -o "%D %T"` says that all `hosts` hosts are idle. Pure.
bool are_all_idle(std::string_view sinfo, int hosts);

/// The last six lines of a log, for an error message. Pure.
std::string last_lines(std::string_view log);

/// The whole environment for Slurm's daemons and commands.
std::vector<std::string> slurm_environment();

}  // namespace ductile::cluster
