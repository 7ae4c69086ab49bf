// Which of MPDATA's options a run uses.
#pragma once

#include <cstdint>

namespace mpdata {

struct Scheme {
    int passes = 2;  ///< 1: donor cell alone; each further pass corrects the one before
    bool non_oscillatory = false;  ///< limits the corrections (smolarkiewicz-grabowski-1990)
    bool infinite_gauge = false;   ///< for fields of any sign; at most two passes
};

/// Throws std::invalid_argument unless there are 1 to 8 passes, at most 2 with an infinite gauge.
/// With an infinite gauge a third pass would correct nothing: its velocities are products of two
/// terms that vanish as the gauge grows, and the flux is a velocity times the gauge.
void check(const Scheme& scheme);

/// The number of planes, on each side, that a pass reads beyond the planes that it computes.
inline std::int64_t reach_of_pass(const Scheme& scheme, int pass) {
    return pass > 1 && scheme.non_oscillatory ? 2 : 1;
}

/// The number of planes, on each side, beyond the own planes of a slab for which the slab needs the
/// result of `pass`: 0 for the last pass.
inline std::int64_t extent_after(const Scheme& scheme, int pass) {
    return (scheme.passes - pass) * reach_of_pass(scheme, 2);
}

/// Ghost planes on each side of a slab: all that a whole step needs.
inline std::int64_t halo_width(const Scheme& scheme) {
    return extent_after(scheme, 1) + 1;
}

}  // namespace mpdata
