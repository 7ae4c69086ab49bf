// What all starts of ranks in a job share. `ductile run` captures it once, when it starts. Pure.
#pragma once

#include <string>
#include <vector>

namespace ductile::broker {

struct LaunchSpec {
    std::vector<std::string> environment;  ///< NAME=VALUE, without launchers' variables
    /// NAME=VALUE, where a machine may come to hold more ranks than it has cores
    std::vector<std::string> shared_cores_environment;
    std::string directory;
    int umask = 022;
    /// "RESOURCE SOFT HARD", numbers as for setrlimit; -1 is infinity
    std::vector<std::string> resource_limits;
    /// mpiexec and its arguments, without the arguments for the number of ranks and for the hosts
    std::vector<std::string> launcher;
    /// mpiexec's further arguments for a group on mpiexec's own host only
    std::vector<std::string> launcher_here;
    /// mpiexec's further arguments for a group on several hosts (placeholders: mpi::LauncherWords)
    std::vector<std::string> launcher_further;
    /// variables that name a folder for the MPI's files; each mpiexec gets a folder of its own
    std::vector<std::string> folder_variables;
    bool serves_pmi = false;            ///< the agents start the ranks; if false, mpiexec does
    bool keeps_daemons = false;         ///< with mpiexec: its proxies stay until mpiexec ends
    bool spawn_blocks_threads = false;  ///< with mpiexec: see mpi::Capabilities
    bool meters_power = false;          ///< the agents measure the power of their hosts
    std::vector<std::string> program;   ///< program and its arguments
    double heartbeat_s = 1, heartbeat_limit_s = 5, orphan_limit_s = 60, leave_within_s = 30;
    bool operator==(const LaunchSpec&) const = default;
};

}  // namespace ductile::broker
