// How many cores this process may use.
#pragma once

#include <filesystem>
#include <string_view>

namespace ductile::os {

/// The cores of its affinity (taskset, Slurm), or fewer if its cgroup limits its time (a
/// container). At least 1.
int usable_cores();

/// The least limit of the cgroup (version 2) and of those above it, up to the root of the tree. A
/// container may name a cgroup that it does not see: then the root is its own. 0: no limit.
///
/// `membership` is the text of /proc/self/cgroup, `tree` what is mounted at /sys/fs/cgroup.
int cores_of_cgroup(std::string_view membership, const std::filesystem::path& tree);

/// The cores that a limit of time amounts to, rounded up: "150000 100000" (microseconds of each
/// period, in cpu.max of cgroup v2) is 2. 0: no limit.
int cores_of_limit(std::string_view cpu_max);

}  // namespace ductile::os
