// Who sends which planes to whom, so that each rank has its ghosts.
#pragma once

#include <cstdint>
#include <vector>

#include "mpdata/slab.hpp"

namespace mpdata {

/// The slab of a rank: blocks that differ by one plane at most; the first `planes` % `ranks` hold
/// one more. Example: 10 planes on 4 ranks begin at 0, 3, 6, 8.
Slab slab_of(std::int64_t planes, int ranks, int rank);

/// Consecutive planes that one rank has and another one needs.
struct PlaneTransfer {
    int from = 0;
    int to = 0;
    std::int64_t first = 0;  ///< counted from the first own plane of `from`
    std::int64_t ghost = 0;  ///< where they go, counted from the first own plane of `to`
    std::int64_t count = 0;

    bool operator==(const PlaneTransfer&) const = default;
};

struct GhostPlanes {
    std::int64_t before = 0;
    std::int64_t after = 0;
};

/// All transfers that `rank` takes part in, also to itself. Two ranks list what goes from the one
/// to the other in the same order. A rank without planes needs none. Beyond the ends of the grid
/// there is nothing to send unless it is periodic.
///
/// Example: 4 planes on 2 ranks with one ghost on each side, not periodic: rank 0 lists
/// {from 1, to 0, first 0, ghost 2} and {from 0, to 1, first 1, ghost -1}, a plane each.
std::vector<PlaneTransfer> transfers_of(std::int64_t planes, int ranks, int rank,
                                        const GhostPlanes& ghosts, bool periodic);

}  // namespace mpdata
