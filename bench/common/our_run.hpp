// One job under `ductile run` that is resized from outside, and what it tells about its resizes.
#pragma once

#include <algorithm>
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

    /// What the program loses: the stall, and what its iterations took longer meanwhile.
    [[nodiscard]] double lost_s() const {
        if (overlapped == 0 || iteration_quiet_s <= 0) return stall_s;
        return stall_s + overlapped * std::max(0.0, iteration_pending_s - iteration_quiet_s);
    }
};

/// What is asked of a job, as words of `ductile resize` behind its name: {"4"}, {"--release",
/// "node02:1"}.
using Request = std::vector<std::string>;

/// Runs programs/malleable_loop from `begin` and resizes it by each of `requests` in turn. `way`:
/// further options of `ductile run`. `mebibytes`: of a frozen array that the job has. Throws
/// SystemError when a resize or the job fails.
std::vector<OurResize> run_requests(const Place& place, const Shape& begin, const Shape& most,
                                    const std::vector<Request>& requests,
                                    const std::vector<std::string>& way = {}, int mebibytes = 0);

/// The same, to each of these sizes.
std::vector<OurResize> run_ours(const Place& place, const Shape& begin, const Shape& most,
                                const std::vector<int>& sizes,
                                const std::vector<std::string>& way = {}, int mebibytes = 0);

}  // namespace ductile::bench
