// Names, numbers and addresses of a cluster's hosts, and the limits for a user's request. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::cluster {

inline constexpr int max_hosts = 64;
inline constexpr int max_cores = 1024;
/// The number of the head among the hosts: the outer namespaces, where the user's command runs.
inline constexpr int head = 0;

/// The options of `up --slurm`.
struct SlurmSpec {
    /// The folder with the unpacked packages of Slurm (it has a usr/). Empty: they are installed on
    /// this machine.
    std::string packages;
    std::vector<std::string> settings;  ///< "Name=Value": for slurm.conf
};

/// The options of `up`.
struct ClusterSpec {
    std::string name = "default";
    int hosts = 0;
    int cores = 1;                     ///< the cores that each host claims to have
    std::optional<SlurmSpec> slurm{};  ///< none: the cluster runs no Slurm
};

/// Throws InputError unless the name has 1-32 characters of a-z, 0-9, - (a letter first), 1 <=
/// hosts <= 64, 1 <= cores <= 1024.
void validate(const ClusterSpec& spec);

/// 0 -> "head", 3 -> "node03", 64 -> "node64".
std::string host_name(int number);

/// "node03" -> 3, "head" -> 0. Throws InputError for a name that a cluster of `hosts` hosts does
/// not have.
int host_number(std::string_view name, int hosts);

/// 0 -> "10.66.0.254", 3 -> "10.66.0.3".
std::string host_address(int number);

/// The six bytes of the MAC address: 3 -> 02:66:00:00:00:03. The address is the same on each start
/// of a host, so that the neighbour tables of other hosts stay correct.
std::string host_mac_bytes(int number);

/// The bridge's end of a host's cable: 3 -> "port03".
std::string port_name(int number);

/// /etc/hosts on the head and on each host. Its first line names the cluster's state directory, so
/// that `ductile cluster` finds it from inside, even without environment variables.
std::string etc_hosts(const ClusterSpec& spec, const std::string& state_dir);

/// The state directory in an /etc/hosts from etc_hosts. Empty for any other text.
std::string state_dir_of(std::string_view etc_hosts_text);

/// The hosts file for `ductile run --hosts`: a line "node01 slots=C" for each host.
std::string slots_file(const ClusterSpec& spec);

}  // namespace ductile::cluster
