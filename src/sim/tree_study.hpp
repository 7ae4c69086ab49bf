// The study of balanced-spanning-trees again, simulated: Table II and Figures 6 to 8.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/network_costs.hpp"
#include "tree/method.hpp"

namespace ductile::sim {

/// One way to make one group of one size out of one parent.
struct StudyRow {
    tree::Algorithm algorithm = tree::Algorithm::centralized;
    tree::Filler filler = tree::Filler::none;
    int n = 0;            ///< processes of the parent
    int m = 0;            ///< members
    double fraction = 0;  ///< as Table II names its rows: a probability, not m / n
    std::int64_t messages = 0;
    double time_us = 0;
    int height = 0;
    std::optional<int> paper_messages;
    std::optional<int> paper_time_us;
};

struct StudyOptions {
    int most_processes = 131072;  ///< leaves larger columns out
    unsigned seed = 1;            ///< of the members
};

struct TreeStudy {
    NetworkCosts costs;  ///< fitted on the centralized column
    std::vector<StudyRow> rows;
};

/// Latency and overhead, which are one number, and the cost of a byte: those with the least squares
/// of relative differences to the times of the centralized rows.
NetworkCosts fit_costs(const StudyOptions& options);

/// Each cell of Table II, and shrink-and-hash with the other two fillers for Figure 7. Takes a
/// minute or so on two cores with 131,072 processes. Throws std::invalid_argument if no column is
/// left.
TreeStudy study_trees(const StudyOptions& options);

}  // namespace ductile::sim
