// The time of a resize, by phase. Pure.
#pragma once

#include <string>
#include <vector>

#include "report/timeline.hpp"

namespace ductile::report {

/// Whether the program continues to compute during a phase. With `--overlap blocking` it waits in
/// the phases `background`, too.
enum class During { background, waiting };

struct Phase {
    std::string name;
    During during = During::background;
    double seconds = 0;
};

/// All phases, in order: launch, connect, bridge, agree (background), switch (waiting). So charts
/// and tables of several resizes have the same phases.
const std::vector<Phase>& all_phases();

/// The phases from the broker's acceptance to the last rank's return. A phase that a resize does
/// not have has 0. Example: ready at 0.3 s, formed at 0.5 s gives launch 0.3, connect 0.2.
std::vector<Phase> phases_of(const Resize& resize);

/// The parts of the program's wait: vote, join, redistribute, commit, rebuild. Each is the longest
/// time on any rank, so their sum may be a little more than the wait itself.
std::vector<Phase> waits_of(const Resize& resize);

}  // namespace ductile::report
