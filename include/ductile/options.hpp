/// \file
/// What a program may say about its own resizing. Each option is taken from, in this order: the
/// command line of `ductile run`, `DUCTILE_*` in the environment, the TOML file, this code, the
/// default. `ductile status --options` shows each value and where it came from.
#pragma once

#include <chrono>
#include <cstdint>

namespace ductile {

/// Limits of a job, in ranks. Zero means "not set". `min` and `max` set here are hard bounds that a
/// user may only narrow. Checked when the Job is made: 0 <= min <= preferred <= max where set,
/// multiple >= 0, and that the job starts on a number of ranks that min, max and multiple allow;
/// else InputError.
struct Options {
    int min = 0;        ///< never fewer ranks
    int max = 0;        ///< never more ranks
    int preferred = 0;  ///< what a policy aims at
    int multiple = 0;   ///< sizes are multiples of this
    /// After a resize none is made for so many resize points, and for so long.
    std::int64_t inhibitor_points = 0;
    std::chrono::milliseconds inhibitor{0};
    /// Each resize starts all ranks afresh, as one world (`--method baseline`), so that
    /// MPI_COMM_WORLD always has the members of the job, in their order. For a program that does
    /// not use Job::comm(). Other ways to resize are refused.
    bool one_world = false;
};

}  // namespace ductile
