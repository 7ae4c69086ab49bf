// A study beside what the paper printed: how far apart, and who wins where.
#pragma once

#include <optional>
#include <vector>

#include "sim/tree_study.hpp"

namespace ductile::sim {

/// Ours less the paper's, over the paper's; nothing where the paper prints none.
std::optional<double> message_deviation(const StudyRow& row);
std::optional<double> time_deviation(const StudyRow& row);

/// The row whose deviation is the largest, either way.
struct LargestDeviation {
    double deviation = 0;
    double fraction = 0;
    int n = 0;
};

struct AlgorithmDeviations {
    tree::Algorithm algorithm = tree::Algorithm::centralized;
    LargestDeviation messages;
    LargestDeviation time;
    double mean_messages = 0;
    double mean_time = 0;
};

/// One for each algorithm that has printed rows, in the order of tree::all_algorithms.
std::vector<AlgorithmDeviations> deviations_of_algorithms(const std::vector<StudyRow>& rows);

/// The fastest algorithm of a cell of Table II, by ours and by the paper's times.
struct Fastest {
    double fraction = 0;
    int n = 0;
    tree::Algorithm ours = tree::Algorithm::centralized;
    tree::Algorithm papers = tree::Algorithm::centralized;
    double lead =
        0;  ///< by which part the paper's fastest takes longer here than ours; 0: it is it
};

/// Each cell, that is a fraction and an n, in the rows' order; among the algorithms whose time the
/// paper prints there.
std::vector<Fastest> fastest_of_each_cell(const std::vector<StudyRow>& rows);

/// The row, or null.
const StudyRow* find_row(const std::vector<StudyRow>& rows, double fraction,
                         tree::Algorithm algorithm, tree::Filler filler, int n);

/// The filler with which Table II has the algorithm.
tree::Filler printed_filler(tree::Algorithm algorithm);

/// The fractions and the sizes of the rows, rising.
std::vector<double> fractions_of(const std::vector<StudyRow>& rows);
std::vector<int> sizes_of(const std::vector<StudyRow>& rows);

}  // namespace ductile::sim
