// The state directory of a cluster, with its socket and lists. Only its user can enter it. The
// cluster's init holds a lock on it. If a cluster was killed, the lock is free. The next command
// notices this and removes the directory.
#pragma once

#include <string>
#include <string_view>

#include "cluster/system_call.hpp"

namespace ductile::cluster {

/// $XDG_RUNTIME_DIR/ductile-cluster, else /tmp/ductile-cluster-UID. Pure.
std::string base_directory(std::string_view xdg_runtime_dir, unsigned uid);

/// The state directory of the cluster that a command means: the cluster `name`. If `name` is empty,
/// the cluster in which this process runs, or "default" outside of clusters. Outside of clusters
/// this also calls remove_dead_clusters.
std::string find_state_dir(const std::string& name);

/// Removes what dead clusters of this user left behind. Call it outside of clusters.
void remove_dead_clusters();

/// Whether the init of the cluster with this directory is alive.
bool is_alive(const std::string& state_dir);

/// A state directory that this process made. This process, and processes that inherit the
/// descriptor, hold its lock.
struct StateDir {
    std::string path;
    Descriptor lock;
};

/// Makes the directory, with mode 0700, for a cluster that starts now. Throws UsageError if a
/// cluster of that name is alive, and SystemError if the base directory belongs to another user.
StateDir make_state_dir(const std::string& name);

/// Removes the directory, its base if that is empty, and cgroups of its frozen hosts. Never throws.
void remove_state_dir(const std::string& state_dir) noexcept;

std::string socket_path(const std::string& state_dir);
std::string slots_path(const std::string& state_dir);
std::string etc_hosts_path(const std::string& state_dir);
/// The file with the cgroups of frozen hosts, one a line, for remove_state_dir.
std::string cgroups_path(const std::string& state_dir);

}  // namespace ductile::cluster
