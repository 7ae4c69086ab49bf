// Which process starts which group in which step of a parallel start.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/layout.hpp"
#include "plan/methods.hpp"

namespace ductile::plan {

/// One MPI_Comm_spawn on MPI_COMM_SELF, which starts one group on its host.
struct Spawn {
    int step = 1;           ///< 1, 2, ...
    core::GroupId starter;  ///< the group of the process that calls it
    core::Rank rank;        ///< the rank of this process in its MPI_COMM_WORLD
    core::GroupId starts;
    bool operator==(const Spawn&) const = default;
};

/// The parallel start of parallel-spawning-strategies, sections 4.1 and 4.2. In each step every
/// existing process starts one of the remaining groups, in order: first the sources by rank, then
/// the ranks of the groups of earlier steps (the order of equation 9). The result is sorted by
/// step, then by starter. If all groups are as large as the sources' groups, this is the hypercube.
/// Throws std::invalid_argument if there is a group to start, but no source.
///
/// Example (Figure 1): one source of one rank, 7 groups of one rank, ids 1 to 7. Step 1: g0 starts
/// g1; step 2: g0 starts g2, g1 g3; step 3: g0, g1, g2, g3 start g4, g5, g6, g7.
std::vector<Spawn> spawn_schedule(const core::Layout& sources,
                                  const std::vector<core::Group>& added);

/// A row of the paper's Table 2: the state at the end of step s.
struct SpawnStep {
    int s = 0;
    std::int64_t t = 0;             ///< processes (equations 2 and 4)
    std::optional<std::int64_t> g;  ///< processes that this step started (5); none in row 0
    std::int64_t lambda = 0;        ///< groups that processes could have started until now (6)
    int T = 0;                      ///< hosts in use: with merge also the sources' hosts (1 and 7)
    std::optional<int> G;           ///< hosts that this step added (8); none in row 0
    bool operator==(const SpawnStep&) const = default;
};

/// Rows 0, 1, ... up to the step that starts the last group. Hosts on which no group starts are
/// skipped, as in the paper ("null elements in vector S are disregarded"), so lambda counts groups.
/// With `baseline` T does not count the sources' hosts, because the sources end (equation 1).
///
/// Example (Table 2): 2 sources on host 0, groups of 2, 2, 8, 12, 3, 3, 4, 4, 6, 3 on hosts 0 to 9.
/// t is 2, 6, 40, 49; g 4, 34, 9; lambda 0, 2, 8, 48; T 1, 2, 8, 10; G 1, 6, 2. The paper prints 7
/// and 47 for lambda. These are misprints: they neither follow from equation 6 nor give the printed
/// g and G.
std::vector<SpawnStep> spawn_steps(const core::Layout& sources,
                                   const std::vector<core::Group>& added, Method method);

}  // namespace ductile::plan
