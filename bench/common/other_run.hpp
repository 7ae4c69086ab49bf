// One run of a program of bare MPI calls, and the time that it tells.
#pragma once

#include <string>
#include <vector>

#include "common/place.hpp"

namespace ductile::bench {

struct OtherRun {
    Shape begin;     ///< where its sources run
    Shape most;      ///< the largest that it becomes
    Shape reported;  ///< where the ranks must be that it reports
    std::vector<std::string> program;
};

/// The longest time over its sources. Throws SystemError when it fails, or when its ranks are not
/// on the hosts where they should be.
double run_other(const Place& place, const OtherRun& run);

}  // namespace ductile::bench
