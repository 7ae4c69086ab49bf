// Which rank sends which planes to which rank, so that each rank has its ghost planes.
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

/// All transfers from or to `rank`, also from `rank` to itself. Two ranks list the transfers
/// between them in the same order. A rank without planes needs no ghosts. Without a periodic
/// boundary there are no ghosts beyond the ends of the grid.
///
/// Example: 4 planes on 2 ranks with one ghost on each side, not periodic: rank 0 lists
/// {from 1, to 0, first 0, ghost 2} and {from 0, to 1, first 1, ghost -1}, one plane each.
std::vector<PlaneTransfer> transfers_of(std::int64_t planes, int ranks, int rank,
                                        const GhostPlanes& ghosts, bool periodic);

}  // namespace mpdata
