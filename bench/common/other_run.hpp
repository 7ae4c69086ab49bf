// One run of a program of plain MPI calls, and the time that the program reports.
#pragma once

#include <string>
#include <vector>

#include "common/place.hpp"

namespace ductile::bench {

struct OtherRun {
    Shape begin;     ///< where its sources run
    Shape most;      ///< where its ranks run at its largest size
    Shape reported;  ///< where the ranks that it reports must run
    std::vector<std::string> program;
};

/// Runs the program. Returns the longest time of its sources, in seconds. Throws SystemError when
/// the program fails, or when its ranks are not on the hosts where they should be.
double run_other(const Place& place, const OtherRun& run);

}  // namespace ductile::bench
