// What every launcher run of a job shares: captured once, where `ductile run` was started. Pure.
#pragma once

#include <string>
#include <vector>

namespace ductile::broker {

struct LaunchSpec {
    std::vector<std::string> environment;  ///< NAME=VALUE, already cleaned
    std::string directory;
    int umask = 022;
    /// "RESOURCE SOFT HARD", numbers as for setrlimit; -1 is infinity
    std::vector<std::string> resource_limits;
    /// mpiexec and its arguments, without those that say where how many ranks start, which are
    std::vector<std::string> launcher;
    std::vector<std::string> launcher_here;  ///< for a group on the host where mpiexec runs, and
    /// one on other hosts, too, with {ranks}, {hosts} and {first} in them (mpi::LauncherWords)
    std::vector<std::string> launcher_further;
    std::vector<std::string> folder_variables;  ///< that name a folder of the run's own
    bool serves_pmi = false;  ///< the agents start the ranks; else mpiexec does, and these count:
    bool keeps_daemons = false;         ///< proxies end with their mpiexec, not with their ranks
    bool spawn_blocks_threads = false;  ///< as of mpi::Capabilities
    std::vector<std::string> program;   ///< program and its arguments
    double beat_s = 1, beat_limit_s = 5, orphan_limit_s = 60, leave_within_s = 30;
    bool operator==(const LaunchSpec&) const = default;
};

}  // namespace ductile::broker
