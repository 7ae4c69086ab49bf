// From resizes that were measured to a cost model. Pure.
#pragma once

#include <vector>

#include "plan/cost_model.hpp"

namespace ductile::plan {

struct MeasuredResize {
    Strategy strategy;  ///< of no meaning where nothing started
    ResizeShape shape;
    double spawn_s = 0, connect_s = 0;
    double switch_s = 0;  ///< votes, join or split, commit; without redistribution
    double omega = 0;     ///< 0: no iteration was seen meanwhile
};

/// Each term fitted to all resizes that show it; omega is the median of a start's, 1 at least, and
/// what was seen of other starts in the background where it was not seen of this one.
CostModel model_of(const std::vector<MeasuredResize>& measured);

struct MeasuredMove {
    Executor executor = Executor::p2p;
    MoveShape shape;
    double seconds = 0;
};

/// Of each executor that was measured, in the order of all_executors.
std::vector<MoveCost> costs_of_moves(const std::vector<MeasuredMove>& measured);

}  // namespace ductile::plan
