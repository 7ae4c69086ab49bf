// What is measured: pairs of sizes and ways to get from one to the other. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/place.hpp"
#include "plan/methods.hpp"

namespace ductile::bench {

/// From NS ranks to NT.
struct Pair {
    int ns = 1, nt = 1;
    auto operator<=>(const Pair&) const = default;
};

/// "1:4,2:8" gives {1, 4} and {2, 8}, the smaller one first; sizes from 1 to `most`. Throws
/// InputError that names the word.
std::vector<Pair> pairs_in(const std::string& text, int most);
/// All pairs of these sizes, the smaller one first.
std::vector<Pair> all_pairs(const std::vector<int>& sizes);

/// So many ranks on hosts that hold `per_host` each, filled one after the other.
Shape shape_of(int ranks, int per_host);

/// "merge diffusive background".
std::string name_of(const plan::Way& way);
/// As options of `ductile run`.
std::vector<std::string> options_of(const plan::Way& way);

/// Every way by which both a growth from ns to nt and a shrink back can be done, on `hosts` hosts
/// that hold `per_host` ranks each. (A shrink by merge lets ranks leave; no start has a part in
/// it.)
std::vector<plan::Way> ways_between(const Pair& pair, int hosts, int per_host);

}  // namespace ductile::bench
