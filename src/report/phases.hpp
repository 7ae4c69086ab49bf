// What a resize cost, by phase. Pure.
#pragma once

#include <string>
#include <vector>

#include "report/timeline.hpp"

namespace ductile::report {

/// Whether the program computes on during a phase.
enum class During { background, waiting };

struct Phase {
    std::string name;
    During during = During::background;
    double seconds = 0;
};

/// All phases there are, in order, so that charts and tables of several resizes have the same ones:
/// launch, connect, bridge, agree (background), switch (waiting).
const std::vector<Phase>& all_phases();

/// From the broker's acceptance to the last rank's return. A resize that has no such phase has 0
/// there. Example: ready at 0.3 s, formed at 0.5 s gives launch 0.3, connect 0.2.
std::vector<Phase> phases_of(const Resize& resize);

/// The parts of the program's wait: vote, join, redistribute, commit; each the longest on any rank,
/// so that together they may be a little more than the wait itself.
std::vector<Phase> waits_of(const Resize& resize);

}  // namespace ductile::report
