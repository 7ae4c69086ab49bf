// Which executor moves the data of a resize, where that is left open: Algorithm 2 of
// dmr-slurm-mpdata, by what moves of data cost on the machine (`ductile calibrate`). Pure.
#pragma once

#include <vector>

#include "plan/methods.hpp"

namespace ductile::plan {

/// What the time of a redistribution depends on.
struct MoveShape {
    int ranks = 0;         ///< that hold data before or after
    double mebibytes = 0;  ///< on each rank of the smaller side, about: the most that one moves
    bool operator==(const MoveShape&) const = default;
};

/// `bytes`: of all arrays, in all. Precondition: sources, targets >= 1, bytes >= 0.
MoveShape move_shape(int sources, int targets, double bytes);

/// Seconds: constant + per_rank * ranks + per_mebibyte * mebibytes, none of them negative.
struct MoveCost {
    Executor executor = Executor::p2p;
    double constant = 0, per_rank = 0, per_mebibyte = 0;
    [[nodiscard]] double at(const MoveShape& shape) const {
        return constant + per_rank * shape.ranks + per_mebibyte * shape.mebibytes;
    }
    bool operator==(const MoveCost&) const = default;
};

/// The one that takes the least time; of those that take as long, the first. Where nothing was
/// measured: `alltoallv`, the collective way that Algorithm 2 begins with.
Executor choose_executor(const std::vector<MoveCost>& costs, const MoveShape& shape);

}  // namespace ductile::plan
