// Where a cluster keeps its socket and lists: a directory of its user's alone, locked by the
// cluster's init for as long as it lives, so that what a killed cluster left is known for dead and
// removed by the next command.
#pragma once

#include <string>
#include <string_view>

#include "cluster/system_call.hpp"

namespace ductile::cluster {

/// $XDG_RUNTIME_DIR/ductile-cluster, else /tmp/ductile-cluster-UID. Pure.
std::string base_directory(std::string_view xdg_runtime_dir, unsigned uid);

/// The state directory of the cluster that a command means: by name when one is given, else the
/// cluster on whose host or head this process runs, else "default". Outside of clusters it calls
/// remove_dead_clusters.
std::string find_state_dir(const std::string& name);

/// Removes what dead clusters of this user left behind. Called outside of clusters.
void remove_dead_clusters();

/// Whether the init of the cluster with this directory lives.
bool is_alive(const std::string& state_dir);

/// A state directory that was made here and is locked by this process and those that inherit the
/// descriptor.
struct StateDir {
    std::string path;
    Descriptor lock;
};

/// Makes the directory, 0700, for a cluster about to start. Throws when one of that name lives, or
/// when the place is not ours.
StateDir make_state_dir(const std::string& name);

/// Removes the directory, its base when that is empty, and cgroups that its frozen hosts left.
/// Never throws.
void remove_state_dir(const std::string& state_dir) noexcept;

std::string socket_path(const std::string& state_dir);
std::string slots_path(const std::string& state_dir);
std::string etc_hosts_path(const std::string& state_dir);
/// Lists the cgroups made for frozen hosts, one a line, for remove_state_dir.
std::string cgroups_path(const std::string& state_dir);

}  // namespace ductile::cluster
