/// \file
/// Limits that a program sets for the resizes of its job. The first source that sets an option
/// wins: the command line of `ductile run`, `DUCTILE_*` in the environment, the TOML file, this
/// code, the default. `ductile status --options` shows each value and its source.
#pragma once

#include <chrono>
#include <cstdint>

namespace ductile {

/// Limits of a job, in ranks. Zero means "not set". A user may only narrow the bounds `min` and
/// `max` that the code sets. The constructor of the Job throws InputError unless 0 <= min <=
/// preferred <= max (for the values that are set), multiple and the inhibitors are >= 0, and min,
/// max and multiple allow the number of ranks at the start.
struct Options {
    int min = 0;        ///< the job never has fewer ranks
    int max = 0;        ///< the job never has more ranks
    int preferred = 0;  ///< the size at which a policy aims
    int multiple = 0;   ///< all sizes are multiples of this
    /// After a resize, no other resize happens at so many resize points.
    std::int64_t inhibitor_points = 0;
    /// After a resize, no other resize happens for this time.
    std::chrono::milliseconds inhibitor{0};
    /// Each resize starts all ranks afresh, as one world (`--method baseline`), so that
    /// MPI_COMM_WORLD always has the members of the job, in their order. For a program that does
    /// not use Job::comm(). Other methods are refused.
    bool one_world = false;
};

}  // namespace ductile
