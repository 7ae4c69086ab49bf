// What is measured: pairs of sizes and strategies to get from one to the other. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/pairs.hpp"
#include "common/place.hpp"
#include "plan/methods.hpp"

namespace ductile::bench {

/// `ranks` ranks on hosts that hold `per_host` ranks each. The hosts are filled one by one.
Shape shape_of(int ranks, int per_host);

/// "merge diffusive background".
std::string name_of(const plan::Strategy& strategy);
/// The strategy as options of `ductile run`.
std::vector<std::string> options_of(const plan::Strategy& strategy);

/// Every strategy by which both a growth from ns to nt and a shrink back can be done, on `hosts`
/// hosts that hold `per_host` ranks each. (In a shrink by merge ranks leave, and nothing is
/// started.)
std::vector<plan::Strategy> strategies_between(const Pair& pair, int hosts, int per_host);

}  // namespace ductile::bench
