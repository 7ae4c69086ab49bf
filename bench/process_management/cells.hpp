// What was measured of each strategy between two sizes, and which strategies are the best.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/our_run.hpp"
#include "process_management/strategies.hpp"

namespace ductile::bench {

/// One resize, in seconds.
struct Sample {
    double total_s = 0;
    double spawn_s = 0;     ///< the longest MPI_Comm_spawn; by `launch`: until all groups are ready
    double connect_s = 0;   ///< from then until the leaders are connected
    double join_s = 0;      ///< the switch: Intercomm_create, merge, duplicates
    double stall_s = 0;     ///< the longest that a source spent in resize_point
    double lost_s = 0;      ///< the stall, plus the additional time of the iterations meanwhile
    double overlapped = 0;  ///< number of iterations while the resize was prepared
    double omega = 0;       ///< mean time of these iterations over that before; 0: no iteration
};
Sample sample_of(const OurResize& resize);

/// Samples of one strategy from one size to another (from > to: a shrink).
struct Cell {
    int from = 0, to = 0;
    std::string strategy;
    std::vector<Sample> samples;
    [[nodiscard]] std::vector<double> values(double Sample::*measure) const;
    [[nodiscard]] double median(double Sample::*measure) const;
};

/// The best strategy of a pair of sizes (by the median), and all strategies that a Mann-Whitney
/// test does not tell from the best one (p > 0.05), by rising median.
std::vector<std::string> best_of(const std::vector<const Cell*>& pair, double Sample::*measure);

/// The cells of each pair of sizes that has samples.
std::map<std::pair<int, int>, std::vector<const Cell*>> by_pair(const std::vector<Cell>& cells);

/// {FROM->TO: {"total": [WAYS], "lost": [WAYS]}}.
nlohmann::json best_map(const std::vector<Cell>& cells);
/// alpha of dynamic-spawning-methods, equation 6. For a cell of a strategy in the background: its
/// total, divided by the total of the same strategy blocking. Otherwise 0.
double alpha_of(const Cell& cell, const std::vector<Cell>& cells);

nlohmann::json to_json(const std::vector<Cell>& cells);
/// Reads what to_json() has written. Throws InputError for anything else.
std::vector<Cell> cells_in(const nlohmann::json& cells);
/// One line for each cell: medians, in seconds.
std::string to_csv(const std::vector<Cell>& cells);
std::string to_table(const std::vector<Cell>& cells);

}  // namespace ductile::bench
