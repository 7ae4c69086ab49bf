// What is measured: pairs of sizes and ways to get from one to the other. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/pairs.hpp"
#include "common/place.hpp"
#include "plan/methods.hpp"

namespace ductile::bench {

/// So many ranks on hosts that hold `per_host` each, filled one after the other.
Shape shape_of(int ranks, int per_host);

/// "merge diffusive background".
std::string name_of(const plan::Strategy& way);
/// As options of `ductile run`.
std::vector<std::string> options_of(const plan::Strategy& way);

/// Every way by which both a growth from ns to nt and a shrink back can be done, on `hosts` hosts
/// that hold `per_host` ranks each. (A shrink by merge lets ranks leave; no start has a part in
/// it.)
std::vector<plan::Strategy> ways_between(const Pair& pair, int hosts, int per_host);

}  // namespace ductile::bench
