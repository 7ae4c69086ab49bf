// The configuration files of a Slurm that Ductile starts, as text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/names.hpp"

namespace ductile::cluster {

/// The folder of all files of the cluster's Slurm, on the head and on each host. It is a memory
/// file system of the cluster. slurmdbd reads its configuration only from here.
inline constexpr std::string_view slurm_home = "/etc/slurm";
inline constexpr int default_slurmctld_port = 6817;
inline constexpr int default_slurmd_port = 6818;
inline constexpr int default_slurmdbd_port = 6819;

/// Throws InputError unless each setting is "Name=Value" on one line. Also throws for a setting
/// that describes the cluster itself (its hosts, partition, addresses, users and files).
void validate(const SlurmSpec& slurm);

/// Whether Slurm keeps records of jobs in slurmdbd. Settings of the user can turn that off.
bool has_accounting(const SlurmSpec& slurm);

/// Where the hosts and the files of a Slurm are.
struct SlurmSite {
    struct Node {
        std::string name, address;
        int cpus = 1;
        int slurmd_port = default_slurmd_port;
        int memory_mib = 1000;
    };
    std::string home;        ///< the folder of its files, on all hosts
    std::string munge_home;  ///< the folder of the key and the socket of munge, on all hosts
    std::string user;        ///< runs all daemons
    std::string controller, controller_address;  ///< the host of slurmctld and slurmdbd
    int slurmctld_port = default_slurmctld_port;
    int slurmdbd_port = default_slurmdbd_port;
    std::vector<Node> nodes;
    SlurmSpec slurm = {};

    [[nodiscard]] std::string file(std::string_view name) const;  ///< "state" -> home/state
    [[nodiscard]] std::string munge_socket() const;
    [[nodiscard]] std::string munge_key() const;
    [[nodiscard]] std::string mariadb_socket() const;
};

/// The Slurm of a virtual cluster.
SlurmSite site_of(const ClusterSpec& cluster);

std::string slurm_conf(const SlurmSite& site);
std::string cgroup_conf();
std::string slurmdbd_conf(const SlurmSite& site);
std::string mariadb_conf(const SlurmSite& site);

/// A file of all hosts or of one host, as the daemons expect it.
struct SlurmFile {
    std::string path;
    int mode = 0644;
    std::string text;
};
/// `key`: of munge, 128 random bytes.
std::vector<SlurmFile> slurm_files(const SlurmSite& site, const std::string& key);

struct SlurmDaemon {
    std::string name;
    std::vector<std::string> argv;  ///< argv[0] is the name of the program
    std::string ready_socket = {};  ///< the daemon is ready when this Unix socket accepts, or
    int ready_port = 0;             ///< this port of the controller; neither: it is not waited for
};
/// Daemons that can start at the same time.
using SlurmStage = std::vector<SlurmDaemon>;
/// munged, and on the controller MariaDB, slurmdbd and slurmctld. A stage starts when those before
/// it are ready.
std::vector<SlurmStage> controller_stages(const SlurmSite& site);
SlurmDaemon munged(const SlurmSite& site);
SlurmDaemon slurmd(const std::string& node);

std::string slurm_file(std::string_view name);  ///< in a virtual cluster: "state" -> home/state
/// The file for the standard output and error of a daemon: "slurmctld", 0 ->
/// /etc/slurm/log/slurmctld.out; "slurmd", 3 -> /etc/slurm/log/slurmd.node03.out. Slurm's daemons
/// write the same text, with times, to the .log file beside it.
std::string slurm_output(std::string_view daemon, int host);

}  // namespace ductile::cluster
