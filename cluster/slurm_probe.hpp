// Checks from the head whether the daemons of a cluster's Slurm are ready.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/slurm_config.hpp"

namespace ductile::cluster {

/// Whether a process accepts connections at this Unix socket, or at this port of an IPv4 address.
bool accepts(const std::string& socket_path);
bool accepts(const std::string& address, int port);

/// Whether slurmctld reports that all `hosts` hosts are idle. False if it does not answer in 3 s.
/// `environment`: of the command that asks, NAME=VALUE, with a PATH.
bool are_hosts_idle(int hosts, const std::vector<std::string>& environment);

/// Whether this output of `sinfo -h -o "%D %T"` says that all `hosts` hosts are idle. Pure.
bool are_all_idle(std::string_view sinfo, int hosts);

/// The last six lines of a log, for an error message. Pure.
std::string last_lines(std::string_view log);

/// The whole environment for Slurm's daemons and commands.
std::vector<std::string> slurm_environment(const SlurmSite& site);

}  // namespace ductile::cluster
