// One job under `ductile run` that is resized from outside, and what it tells about its resizes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/place.hpp"

namespace ductile::bench {

struct OurResize {
    /// The longest time that a source spent in resize_point, as the program itself measures it:
    /// waiting for the broker's word, the switch, waking up.
    double stall_s = 0;
    double total_s = 0;  ///< from the broker's acceptance to the last source's return
    /// Rank 0's slowest MPI call while the resize was prepared, and among as many calls before.
    double slowest_pending_s = 0, slowest_quiet_s = 0;
    /// Iterations while the resize was prepared, and rank 0's mean time of one then and before.
    int overlapped = 0;
    double iteration_pending_s = 0, iteration_quiet_s = 0;
    nlohmann::json record;  ///< the broker's event record, with the phases
};

/// Runs programs/malleable_loop from `begin` and resizes it to each of `sizes` in turn. `way`:
/// further options of `ductile run`. `mebibytes`: of a frozen array that the job has. Throws
/// SystemError when a resize or the job fails.
std::vector<OurResize> run_ours(const Place& place, const Shape& begin, const Shape& most,
                                const std::vector<int>& sizes,
                                const std::vector<std::string>& way = {}, int mebibytes = 0);

}  // namespace ductile::bench
