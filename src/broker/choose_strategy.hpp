// The automatic choice of method, start and overlap. Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// One strategy that could be chosen, and its plan.
struct Alternative {
    plan::Strategy strategy;
    Planned plan;
    [[nodiscard]] const PlannedResize* resize() const { return std::get_if<PlannedResize>(&plan); }
};

/// All strategies that the request and the job leave open. Their order is the preference of
/// dmr-slurm-mpdata's Algorithm 2: merge before baseline, parallel starts before the others.
/// `launch` is first of all starts, because it needs no MPI that spawns. `background` is before
/// `blocking`. Strategies with the same plan are one alternative: a shrink by merge, for example,
/// starts nothing. Precondition: the request does not name a range of sizes.
std::vector<Alternative> alternatives(const ResizeRequest& request, const JobView& job);

/// Which alternative is chosen, and the reason, for a person.
struct Choice {
    std::size_t index = 0;
    std::string why;
};
/// The alternative by which the program loses the least time, as the cost model estimates it. Among
/// alternatives within 2 % of that time, the one with the least total time. If the model knows no
/// cost, the first alternative that changes the job. This is the choice of Algorithm 2 without its
/// exception (baseline for a shrink below the initial ranks of the job), because here any rank can
/// leave. If no alternative changes the job, the first one. Precondition: `all` is not empty.
Choice choose(const std::vector<Alternative>& all);

/// Chooses a strategy and returns the result of plan_resize. If nothing is left open, uses the
/// strategy that request and job name. For a range of sizes, first chooses the largest size that
/// any strategy reaches, then the best strategy for this size.
Planned choose_resize(const ResizeRequest& request, const JobView& job);

/// Each alternative with its costs, and the choice.
std::string to_table(const std::vector<Alternative>& all, const Choice& choice);

}  // namespace ductile::broker
