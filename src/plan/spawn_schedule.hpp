// Which process starts which group in which step of a parallel start.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/layout.hpp"
#include "plan/methods.hpp"

namespace ductile::plan {

/// One MPI_Comm_spawn on MPI_COMM_SELF, of one group on its host.
struct Spawn {
    int step = 1;           ///< 1, 2, ...
    core::GroupId starter;  ///< the group of the process that calls it
    core::Rank rank;        ///< that process's rank in its MCW
    core::GroupId starts;
    bool operator==(const Spawn&) const = default;
};

/// The parallel start of parallel-spawning-strategies, sections 4.1 and 4.2. In each step every
/// process that exists starts one of the groups that are left, in their order: the sources by rank,
/// then the ranks of the groups of earlier steps (the order of equation 9). Sorted by step, then by
/// starter. With groups of one size that are as large as the sources' this is the hypercube.
/// Throws std::invalid_argument where there is something to start and no source.
///
/// Example (Figure 1): one source of one rank, 7 groups of one rank, ids 1 to 7. Step 1: g0 starts
/// g1; step 2: g0 starts g2, g1 g3; step 3: g0, g1, g2, g3 start g4, g5, g6, g7.
std::vector<Spawn> spawn_schedule(const core::Layout& sources,
                                  const std::vector<core::Group>& added);

/// A row of the paper's Table 2: what exists at the end of step s.
struct SpawnStep {
    int s = 0;
    std::int64_t t = 0;             ///< processes (equations 2 and 4)
    std::optional<std::int64_t> g;  ///< of which this step has started (5); none in row 0
    std::int64_t lambda = 0;        ///< groups that processes up to now could have started (6)
    int T = 0;                      ///< hosts in use: merge counts the sources' (1 and 7)
    std::optional<int> G;           ///< of which this step has added (8); none in row 0
    bool operator==(const SpawnStep&) const = default;
};

/// Rows 0, 1, ... up to the step that starts the last group. Hosts that start nothing are passed
/// over, as in the paper ("null elements in vector S are disregarded"), so lambda counts groups.
/// Under `baseline` T counts no host for its sources, since they end (equation 1).
///
/// Example (Table 2): 2 sources on host 0, groups of 2, 2, 8, 12, 3, 3, 4, 4, 6, 3 on hosts 0 to 9.
/// t is 2, 6, 40, 49; g 4, 34, 9; lambda 0, 2, 8, 48 (7 and 47 in print are misprints: they do not
/// follow from equation 6, nor give the printed g and G); T 1, 2, 8, 10; G 1, 6, 2.
std::vector<SpawnStep> spawn_steps(const core::Layout& sources,
                                   const std::vector<core::Group>& added, Method method);

}  // namespace ductile::plan
