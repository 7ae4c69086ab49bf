// Which growths bench/expand measures, and what is to be reached. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/pairs.hpp"
#include "common/place.hpp"

namespace ductile::bench {

struct Case {
    Shape begin, end;
    double stall_ratio = 0, total_ratio = 0;  ///< to be reached; 0: nothing is said

    [[nodiscard]] std::string name() const;
};

/// The pair on so many hosts: the larger size fills the hosts evenly, or has one rank on each of
/// fewer; the smaller one fills its own. 2->8 on 4 hosts: from 2 ranks on 1 host to 2 on each of 4.
/// Throws InputError where that cannot be.
Case case_of(const Pair& pair, int hosts);
/// Of each pair in the text.
std::vector<Case> cases_in(const std::string& pairs, int hosts);

}  // namespace ductile::bench
