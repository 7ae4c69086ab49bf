// The growths that bench/expand measures, and their goals. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/pairs.hpp"
#include "common/place.hpp"

namespace ductile::bench {

struct Case {
    Shape begin, end;
    double stall_ratio = 0, total_ratio = 0;  ///< goals: at most; 0: no goal

    [[nodiscard]] std::string name() const;
};

/// Places a pair of sizes on at most `hosts` hosts. In both sizes each used host has the same
/// number of ranks: the larger size divided by `hosts`, rounded up. Example: 2->8 on 4 hosts grows
/// from 2 ranks on 1 host to 2 ranks on each of 4 hosts. Throws InputError if one of the sizes is
/// not a multiple of this number.
Case case_of(const Pair& pair, int hosts);
/// The case of each pair in the text.
std::vector<Case> cases_in(const std::string& pairs, int hosts);

}  // namespace ductile::bench
