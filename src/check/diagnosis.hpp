// What the states of all ranks say. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/rank_state.hpp"

namespace ductile::check {

struct Diagnosis {
    std::vector<std::string> lines;
    /// The ranks' collective calls do not fit together: they can never go on in order.
    bool differ = false;
};

/// `asked`: the rank that has waited too long. `states`: of those that answered, in any order.
Diagnosis diagnose(const RankState& asked, std::vector<RankState> states, int ranks);

/// What is wrong with the collective calls that these ranks have made since the same moment, in
/// lines; none when each has made the first of those of the others. `states` rise by rank.
std::vector<std::string> compare_calls(const std::vector<RankState>& states);

/// "rank 3", "ranks 0-2, 5". `ranks` rise.
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace ductile::check
