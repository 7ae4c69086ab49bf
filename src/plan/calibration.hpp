// Makes a cost model from measured resizes. Pure.
#pragma once

#include <vector>

#include "plan/cost_model.hpp"

namespace ductile::plan {

struct MeasuredResize {
    Strategy strategy;  ///< unused if no process started
    ResizeShape shape;
    double spawn_s = 0, connect_s = 0;
    double switch_s = 0;  ///< votes, join or split, commit; without redistribution
    double omega = 0;     ///< see StartCost; 0: no iteration was measured during the resize
};

/// Fits each term to all resizes that show it. The omega of a start in the background is the median
/// of its measurements; if there is none, the median of the measurements of all starts. Omega is at
/// least 1. For a blocking start it is 1.
CostModel model_of(const std::vector<MeasuredResize>& measured);

struct MeasuredMove {
    Executor executor = Executor::p2p;
    MoveShape shape;
    double seconds = 0;
};

/// The costs of each executor that was measured, in the order of all_executors.
std::vector<MoveCost> costs_of_moves(const std::vector<MeasuredMove>& measured);

}  // namespace ductile::plan
