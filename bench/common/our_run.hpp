// Runs a job under `ductile run`, resizes it from outside, and collects the times of its resizes.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/place.hpp"

namespace ductile::bench {

struct OurResize {
    /// The longest time that a source spent in resize_point, as the program itself measures it:
    /// waiting for the broker's message, the switch, waking up.
    double stall_s = 0;
    double total_s = 0;  ///< from the broker's acceptance to the last source's return
    /// Rank 0's slowest MPI call while the resize was prepared, and the slowest of the same number
    /// of calls before.
    double slowest_pending_s = 0, slowest_quiet_s = 0;
    /// The number of iterations while the resize was prepared, and the mean time of rank 0's
    /// iterations during and before this time.
    int overlapped = 0;
    double iteration_pending_s = 0, iteration_quiet_s = 0;
    nlohmann::json record;  ///< the broker's event record, with the phases

    /// The time that the program loses: the stall, and the additional time of the iterations while
    /// the resize was prepared.
    [[nodiscard]] double lost_s() const {
        if (overlapped == 0 || iteration_quiet_s <= 0) return stall_s;
        return stall_s + overlapped * std::max(0.0, iteration_pending_s - iteration_quiet_s);
    }
};

/// A request for a resize: the arguments of `ductile resize` after the id of the job, such as {"4"}
/// or {"--release", "node02:1"}.
using Request = std::vector<std::string>;

/// Runs programs/malleable_loop from `begin` and resizes it by each of `requests` in turn. `way`:
/// further options of `ductile run`. `mebibytes`: the size of a frozen array of the job; 0: no
/// array. Throws SystemError when a resize or the job fails.
std::vector<OurResize> run_requests(const Place& place, const Shape& begin, const Shape& most,
                                    const std::vector<Request>& requests,
                                    const std::vector<std::string>& way = {}, int mebibytes = 0);

/// The same, with a resize to each of these sizes.
std::vector<OurResize> run_ours(const Place& place, const Shape& begin, const Shape& most,
                                const std::vector<int>& sizes,
                                const std::vector<std::string>& way = {}, int mebibytes = 0);

}  // namespace ductile::bench
