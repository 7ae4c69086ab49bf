// A study of trees as records for other programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/tree_study.hpp"

namespace ductile::cli {

/// {"rows": [...], "costs": {...}, "seed": N, "branching": 3}; null where the paper prints nothing.
nlohmann::ordered_json study_json(const sim::TreeStudy& study, unsigned seed);

/// The rows under a line of names; empty where the paper prints nothing.
std::string study_csv(const sim::TreeStudy& study);

}  // namespace ductile::cli
