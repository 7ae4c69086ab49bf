// Mounts for Slurm, on the head and on all hosts of a cluster: Slurm's packages, as if they were
// installed, and a memory file system for Slurm's files.
#pragma once

#include <string>

#include "cluster/names.hpp"

namespace ductile::cluster {

/// Called in the cluster's init, before the hosts boot (they get copies of these mounts) and before
/// cover_etc_hosts. Afterwards /etc is read-only. /usr is read-only, too, if SlurmSpec::packages
/// names a folder. When the cluster ends, the kernel removes the mounts with the namespaces.
void mount_slurm(const SlurmSpec& slurm, const std::string& state_dir);

/// Called in a process of a host before it becomes slurmd. Gives the process its own mounts, in
/// which /sys/fs/cgroup is empty. Slurm's jobs on the host also have these mounts.
void hide_cgroups();

}  // namespace ductile::cluster
