// The study of balanced-spanning-trees as charts: plotly figures, as JSON. Pure.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>

#include "sim/tree_study.hpp"

namespace ductile::report {

/// The size of the parent group in Figures 6 and 8: 64k, or the largest simulated size below it.
/// Precondition: there are rows.
int figure_processes(const sim::TreeStudy& study);

/// The fractions that Figure 7 shows.
inline constexpr std::array figure_7_fractions{0.001, 0.01, 0.3, 0.9};

/// Each returns {"data": [...], "layout": {...}}. Our lines are solid, the paper's are dashed.
/// Figure 6: messages relative to those of centralized, by fraction.
nlohmann::json messages_chart(const sim::TreeStudy& study);
/// Figure 7: time of shrink-and-hash with each filler, by the parent group's size.
nlohmann::json fillers_chart(const sim::TreeStudy& study, double fraction);
/// Figure 8: time of each algorithm, by fraction; absolute, and relative to centralized.
nlohmann::json times_chart(const sim::TreeStudy& study);
nlohmann::json relative_times_chart(const sim::TreeStudy& study);

}  // namespace ductile::report
