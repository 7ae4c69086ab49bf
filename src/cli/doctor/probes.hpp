// The list of probes: which program, in which runs, after which other probe.
#pragma once

#include <string>
#include <vector>

#include "mpi/capabilities.hpp"

namespace ductile::cli {

/// One program started beside the others of its probe, by the launcher or (`ranks` 0) directly.
struct ProbeRun {
    std::string role;  ///< its first argument
    int ranks = 1;     ///< 0: without the launcher
    int times = 1;     ///< one run after the other, with its number as third argument; at most 8 s
    bool may_fail =
        false;  ///< how it ends tells nothing: it is killed, or leaves without MPI_Finalize
};

/// Runs start together; the first is the program, whose end is the probe's.
struct Probe {
    std::string name;
    std::string source;  ///< file in the folder of probe sources
    std::vector<ProbeRun> runs;
    std::string needs;  ///< probe without which this one cannot pass; empty: none
    int attempts = 1;   ///< at most; what hangs now and then on a busy machine is tried again
    bool only_by_agents = false;  ///< tried where a job's agents start the ranks
};

/// In the order in which they are run.
[[nodiscard]] const std::vector<Probe>& all_probes();

/// How many worlds the probe `worlds` takes in; fewer where that takes longer than 8 s.
inline constexpr int probed_worlds = 40;

/// What starts a run of a probe; -n RANKS PROGRAM ARGUMENT... is to follow. `probe_ranks` where a
/// job's agents start the ranks; else `mpiexec`, for ranks on this host alone.
[[nodiscard]] std::vector<std::string> launcher_of(const mpi::Capabilities& can,
                                                   const std::string& mpiexec,
                                                   const std::string& probe_ranks);

}  // namespace ductile::cli
