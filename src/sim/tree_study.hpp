// Simulates the study of balanced-spanning-trees: Table II and Figures 6 to 8.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/network_costs.hpp"
#include "tree/method.hpp"

namespace ductile::sim {

/// One construction of one group out of one parent group.
struct StudyRow {
    tree::Algorithm algorithm = tree::Algorithm::centralized;
    tree::Filler filler = tree::Filler::none;
    int n = 0;            ///< processes of the parent group
    int m = 0;            ///< members of the new group
    double fraction = 0;  ///< the probability that names the row in Table II; not m / n
    std::int64_t messages = 0;
    double time_us = 0;
    int height = 0;
    std::optional<int> paper_messages;
    std::optional<int> paper_time_us;
};

struct StudyOptions {
    int most_processes = 131072;  ///< columns with more processes are left out
    unsigned seed = 1;            ///< seed of the random choice of members
};

struct TreeStudy {
    NetworkCosts costs;  ///< fitted to the centralized rows
    std::vector<StudyRow> rows;
};

/// Fits two numbers: one for latency and overhead, which are equal, and the cost of a byte. The fit
/// minimises the sum of the squares of the relative differences to the paper's times for the
/// centralized rows.
NetworkCosts fit_costs(const StudyOptions& options);

/// Simulates each cell of Table II, and shrink-and-hash with the other two fillers for Figure 7.
/// Takes about a minute on two cores with 131,072 processes. Throws std::invalid_argument if
/// `most_processes` leaves no column.
TreeStudy study_trees(const StudyOptions& options);

}  // namespace ductile::sim
