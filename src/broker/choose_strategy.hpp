// The automatic choice of method, start and overlap. Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// One way of those that could be chosen.
struct Alternative {
    plan::Strategy strategy;
    Planned plan;
    [[nodiscard]] const PlannedResize* resize() const { return std::get_if<PlannedResize>(&plan); }
};

/// All that the request and the job leave open, in the order in which dmr-slurm-mpdata's Algorithm
/// 2 would prefer them: merge before baseline, parallel starts before the others (and of those
/// `launch` first, as it needs no MPI that spawns). Ways that come to the same plan - a shrink by
/// merge starts nothing - are one alternative. Precondition: a size that is asked for is no range.
std::vector<Alternative> alternatives(const ResizeRequest& request, const JobView& job);

/// Which of them is taken, and why, for a person.
struct Choice {
    std::size_t index = 0;
    std::string why;
};
/// The way by which the program loses the least time, as far as the cost model knows; of ways
/// within 2 % of it the one whose total is the least. If it knows none, the first that is not
/// refused: Algorithm 2, but for its exception (a shrink below the ranks that the job began with is
/// done by baseline): here any rank may leave. Precondition: there is an alternative.
Choice choose(const std::vector<Alternative>& all);

/// What plan_resize says of the way that is chosen, or, where nothing is left open, of the one that
/// request and job name. In a range the size comes before the way: the largest size that any way
/// reaches is taken, and then the best way to it.
Planned choose_resize(const ResizeRequest& request, const JobView& job);

/// Each alternative with its costs, and the choice.
std::string to_table(const std::vector<Alternative>& all, const Choice& choice);

}  // namespace ductile::broker
