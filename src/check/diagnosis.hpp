// Explains the states of all ranks. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/rank_state.hpp"

namespace ductile::check {

struct Diagnosis {
    std::vector<std::string> lines;
    /// The collective calls of the ranks do not match: the ranks can never continue correctly.
    bool differ = false;
};

/// `asked`: the rank that has waited too long. `states`: the ranks that answered, in any order.
Diagnosis diagnose(const RankState& asked, std::vector<RankState> states, int ranks);

/// Lines that describe the first difference between the collective calls of these ranks since the
/// last resize. Empty if all calls that are kept match, even if some ranks have made more of them.
/// `states` are sorted by rank.
std::vector<std::string> compare_calls(const std::vector<RankState>& states);

/// "rank 3", "ranks 0-2, 5". `ranks` are in ascending order.
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace ductile::check
