// The list of probes. A probe is a C program, which has one or more runs at the same time, and may
// need another probe to pass first.
#pragma once

#include <string>
#include <vector>

#include "mpi/capabilities.hpp"

namespace ductile::cli {

/// One run of a probe. It starts beside the other runs, by the launcher or (`ranks` 0) directly.
struct ProbeRun {
    std::string role;  ///< its first argument
    int ranks = 1;     ///< 0: without the launcher
    /// How often it runs, one repetition after the other. After 8 s no more repetition begins. If
    /// more than 1, the third argument (after the role and the folder) is the number of the
    /// repetition, from 0. The third argument of the other runs is then this value.
    int times = 1;
    bool may_fail = false;  ///< its failure does not count: it is killed, or skips MPI_Finalize
};

/// All runs start together. The first run is called the program. The probe ends when all
/// runs have ended. About 3 s after the program has ended, or after a run has failed that must not
/// fail, the runs that still continue are ended.
struct Probe {
    std::string name;
    std::string source;  ///< file in the folder of probe sources
    std::vector<ProbeRun> runs;
    std::string needs;  ///< the probe that must pass first; empty: none
    int attempts = 1;   ///< the most attempts; more than 1 if it may hang on a busy machine
    bool only_by_agents = false;  ///< run only if a job's agents start the ranks
};

/// All probes, in the order of their runs.
[[nodiscard]] const std::vector<Probe>& all_probes();

/// How many worlds the probe `worlds` connects. Fewer if that takes longer than 8 s.
inline constexpr int probed_worlds = 40;

/// The command that starts a run of a probe. The caller adds -n RANKS PROGRAM ARGUMENT... It is
/// the program `probe_ranks` if a job's agents start the ranks, else `mpiexec`. Both start the
/// ranks on this host only.
[[nodiscard]] std::vector<std::string> launcher_of(const mpi::Capabilities& can,
                                                   const std::string& mpiexec,
                                                   const std::string& probe_ranks);

}  // namespace ductile::cli
