// Draws a start plan as graphs in the DOT language of Graphviz (`ductile plan --dot`).
#pragma once

#include <string>

#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/start_plan.hpp"

namespace ductile::plan {

/// Which group starts which group, and in which step (Figure 1 of parallel-spawning-strategies).
/// All `sources` are one node. Each new group is one node.
std::string dot_of_starts(const StartPlan& plan, const core::Layout& sources);

/// The messages by which all groups learn that every port is open (section 4.3, Figure 2): up to
/// the sources ("all below me are there"), then down ("all are"). In a striped group several ranks
/// take part, so the group needs a barrier among them.
std::string dot_of_synchronisation(const StartPlan& plan, const core::Layout& sources);

/// The sets of groups that are merged in each round (Figure 3). The acceptor comes first.
std::string dot_of_connections(const StartPlan& plan);

}  // namespace ductile::plan
