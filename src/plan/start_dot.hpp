// A start plan as pictures, in Graphviz' DOT language (`ductile plan --dot`).
#pragma once

#include <string>

#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/start_plan.hpp"

namespace ductile::plan {

/// Who starts whom, in which step (Figure 1 of parallel-spawning-strategies): `sources` are one
/// node, each new group is one.
std::string dot_of_starts(const StartPlan& plan, const core::Layout& sources);

/// The messages by which all groups learn that every port is open (section 4.3, Figure 2): up to
/// the sources ("all below me are there"), then down ("all are"). A striped group has several ranks
/// that take part, so it needs a barrier among them.
std::string dot_of_synchronisation(const StartPlan& plan, const core::Layout& sources);

/// The sets of groups that are merged in each round (Figure 3), acceptor first.
std::string dot_of_connections(const StartPlan& plan);

}  // namespace ductile::plan
