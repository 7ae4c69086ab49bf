// The study of balanced-spanning-trees beside the paper, as one HTML page (`ductile trees study`).
// Pure.
#pragma once

#include <string>

#include "sim/tree_study.hpp"

namespace ductile::report {

/// Table II, Figures 6 to 8 and the fastest algorithm of each cell, ours and the paper's. `seed`:
/// the seed for the members. `library`: the text of plotly.min.js. Precondition: there are rows.
std::string render_tree_study(const sim::TreeStudy& study, unsigned seed,
                              const std::string& library);

}  // namespace ductile::report
