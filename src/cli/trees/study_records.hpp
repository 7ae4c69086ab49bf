// A study of trees as records for other programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/tree_study.hpp"

namespace ductile::cli {

/// {"rows": [...], "costs": {...}, "seed": N, "branching": 3}; null where the paper
/// (balanced-spanning-trees) has no number.
nlohmann::ordered_json study_json(const sim::TreeStudy& study, unsigned seed);

/// The rows, below a line with the names of the columns. A field is empty where the paper prints
/// nothing.
std::string study_csv(const sim::TreeStudy& study);

}  // namespace ductile::cli
