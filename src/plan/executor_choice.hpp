// Chooses the executor that moves the data of a resize, if the user leaves this open: Algorithm 2
// of dmr-slurm-mpdata, with the costs measured on the machine (`ductile calibrate`). Pure.
#pragma once

#include <vector>

#include "plan/methods.hpp"

namespace ductile::plan {

/// What the time of a redistribution depends on.
struct MoveShape {
    int ranks = 0;         ///< on the larger side: the sources or the targets
    double mebibytes = 0;  ///< on each rank of the smaller side: about the most that a rank moves
    bool operator==(const MoveShape&) const = default;
};

/// `bytes`: the total size of all arrays. Precondition: sources, targets >= 1, bytes >= 0.
MoveShape move_shape(int sources, int targets, double bytes);

/// Seconds: constant + per_rank * ranks + per_mebibyte * mebibytes. No coefficient is negative.
struct MoveCost {
    Executor executor = Executor::p2p;
    double constant = 0, per_rank = 0, per_mebibyte = 0;
    [[nodiscard]] double at(const MoveShape& shape) const {
        return constant + per_rank * shape.ranks + per_mebibyte * shape.mebibytes;
    }
    bool operator==(const MoveCost&) const = default;
};

/// The executor that takes the least time. If several take the same time, the first of them.
/// Without any measurement: `alltoallv`, the collective executor with which Algorithm 2 begins.
Executor choose_executor(const std::vector<MoveCost>& costs, const MoveShape& shape);

}  // namespace ductile::plan
