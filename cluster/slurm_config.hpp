// The configuration files of a cluster's own Slurm, as text. Pure.
#pragma once

#include <string>

#include "cluster/names.hpp"

namespace ductile::cluster {

/// The folder of all files of the cluster's Slurm, on the head and on each host. It is a memory
/// file system of the cluster. slurmdbd reads its configuration only from here.
inline constexpr std::string_view slurm_home = "/etc/slurm";
inline constexpr int slurmctld_port = 6817;
inline constexpr int slurmdbd_port = 6819;

/// Throws InputError unless each setting is "Name=Value" on one line. Also throws for a setting
/// that describes the cluster itself (its hosts, partition, addresses, users and files).
void validate(const SlurmSpec& slurm);

/// Whether Slurm keeps records of jobs in slurmdbd. Settings of the user can turn that off.
bool has_accounting(const SlurmSpec& slurm);

std::string slurm_conf(const ClusterSpec& cluster);  ///< for a cluster with a Slurm
std::string cgroup_conf();
std::string slurmdbd_conf();
std::string mariadb_conf();

/// The paths that the configuration files and the daemons' arguments share.
std::string slurm_file(std::string_view name);  ///< "state" -> /etc/slurm/state
std::string munge_socket();
std::string munge_key();
std::string mariadb_socket();
/// The file for the standard output and error of a daemon: "slurmctld", 0 ->
/// /etc/slurm/log/slurmctld.out; "slurmd", 3 -> /etc/slurm/log/slurmd.node03.out. Slurm's daemons
/// write the same text, with times, to the .log file beside it.
std::string slurm_output(std::string_view daemon, int host);

}  // namespace ductile::cluster
