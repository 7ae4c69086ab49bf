// Compares a study with the numbers in balanced-spanning-trees: the deviations, and the fastest
// algorithm of each cell.
#pragma once

#include <optional>
#include <vector>

#include "sim/tree_study.hpp"

namespace ductile::sim {

/// (ours - the paper's) / the paper's. Returns nullopt if the paper prints no number.
std::optional<double> message_deviation(const StudyRow& row);
std::optional<double> time_deviation(const StudyRow& row);

/// The row with the largest deviation in either direction.
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

/// One entry for each algorithm for which the paper prints a number, in the order of
/// tree::all_algorithms.
std::vector<AlgorithmDeviations> deviations_of_algorithms(const std::vector<StudyRow>& rows);

/// The fastest algorithm of a cell of Table II, by our times and by the paper's times.
struct Fastest {
    double fraction = 0;
    int n = 0;
    tree::Algorithm ours = tree::Algorithm::centralized;
    tree::Algorithm papers = tree::Algorithm::centralized;
    /// How much longer the paper's fastest algorithm takes in our simulation than `ours` does. 0.1:
    /// 10 % longer. 0: they are the same algorithm.
    double lead = 0;
};

/// An entry for each cell (a fraction and an n) in which the paper prints a time, in ascending
/// order of the fraction, then of n. Compares the algorithms whose time the paper prints there.
std::vector<Fastest> fastest_of_each_cell(const std::vector<StudyRow>& rows);

/// The row; null if there is none.
const StudyRow* find_row(const std::vector<StudyRow>& rows, double fraction,
                         tree::Algorithm algorithm, tree::Filler filler, int n);

/// The filler that Table II uses with this algorithm.
tree::Filler printed_filler(tree::Algorithm algorithm);

/// The fractions and the sizes of the rows, each once, in ascending order.
std::vector<double> fractions_of(const std::vector<StudyRow>& rows);
std::vector<int> sizes_of(const std::vector<StudyRow>& rows);

}  // namespace ductile::sim
