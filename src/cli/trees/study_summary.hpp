// A study of trees as a few lines for a terminal.
#pragma once

#include <string>

#include "sim/tree_study.hpp"

namespace ductile::cli {

/// For each algorithm: the largest deviation from the paper (balanced-spanning-trees) in messages
/// and in times, and the mean deviation in times. Then: in how many cells the paper's fastest
/// algorithm is also the fastest in the simulation, and the costs of a message.
std::string study_summary(const sim::TreeStudy& study);

}  // namespace ductile::cli
