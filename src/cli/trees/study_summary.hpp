// A study of trees in some lines for a terminal.
#pragma once

#include <string>

#include "sim/tree_study.hpp"

namespace ductile::cli {

/// For each algorithm the largest deviation from the paper, of messages and of times, and
/// the mean of times; then in how many cells the paper's fastest is ours, and the costs.
std::string study_summary(const sim::TreeStudy& study);

}  // namespace ductile::cli
