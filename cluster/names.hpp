// Names, numbers and addresses of a cluster's hosts, and the bounds of what a user may ask for.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace ductile::cluster {

inline constexpr int max_hosts = 64;
inline constexpr int max_cores = 1024;
/// The number of the head among the hosts: the outer namespaces, where the user's command runs.
inline constexpr int head = 0;

/// What `up` was asked for.
struct ClusterSpec {
    std::string name = "default";
    int hosts = 0;
    int cores = 1;  ///< what each host is said to have
};

/// Throws InputError unless the name is 1-32 of a-z, 0-9, - (starting with a letter), 1 <= hosts <=
/// 64, 1 <= cores <= 1024.
void validate(const ClusterSpec& spec);

/// 0 -> "head", 3 -> "node03", 64 -> "node64".
std::string host_name(int number);

/// "node03" -> 3, "head" -> 0. Throws InputError for a name that is none of a cluster of `hosts`
/// hosts.
int host_number(std::string_view name, int hosts);

/// 0 -> "10.66.0.254", 3 -> "10.66.0.3".
std::string host_address(int number);

/// The same on every start of a host, so that its neighbours' tables stay right: 3 ->
/// 02:66:00:00:00:03.
std::string host_mac_bytes(int number);

/// The bridge's end of a host's cable: 3 -> "port03".
std::string port_name(int number);

/// /etc/hosts on the head and on each host. Its first line says where the cluster's state is, so
/// that `ductile cluster` finds it from inside, with or without an environment.
std::string etc_hosts(const ClusterSpec& spec, const std::string& state_dir);

/// The state directory named by an /etc/hosts of etc_hosts; empty for any other text.
std::string state_dir_of(std::string_view etc_hosts_text);

/// The hosts file for `ductile run --hosts`: a line "node01 slots=C" for each host.
std::string slots_file(const ClusterSpec& spec);

}  // namespace ductile::cluster
