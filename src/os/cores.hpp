// How many cores this process may use.
#pragma once

#include <string_view>

namespace ductile::os {

/// The cores of its affinity (taskset, Slurm), or fewer if its cgroup limits its time (a
/// container). At least 1.
int usable_cores();

/// The cores that a limit of time amounts to, rounded up: "150000 100000" (microseconds of each
/// period, in cpu.max of cgroup v2) is 2. 0: no limit.
int cores_of_limit(std::string_view cpu_max);

}  // namespace ductile::os
