// What was measured of each way between two sizes, and which ways are the best.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/our_run.hpp"
#include "process_management/ways.hpp"

namespace ductile::bench {

/// One resize, in seconds.
struct Sample {
    double total_s = 0;
    double spawn_s = 0;     ///< the longest MPI_Comm_spawn; by `launch`: until all groups are ready
    double connect_s = 0;   ///< from then until the leaders' bridge stands
    double join_s = 0;      ///< the switch: Intercomm_create, merge, duplicates
    double stall_s = 0;     ///< the longest that a source spent in resize_point
    double lost_s = 0;      ///< stall, and what the iterations meanwhile took longer
    double overlapped = 0;  ///< iterations meanwhile
    double omega = 0;       ///< time of an iteration then over before; 0: there was none
};
Sample sample_of(const OurResize& resize);

/// Samples of one way from one size to another (from > to: a shrink).
struct Cell {
    int from = 0, to = 0;
    std::string way;
    std::vector<Sample> samples;
    [[nodiscard]] std::vector<double> values(double Sample::*measure) const;
    [[nodiscard]] double median(double Sample::*measure) const;
};

/// The ways of a pair by rising median, up to the last that a Mann-Whitney test does not tell from
/// the first (p > 0.05).
std::vector<std::string> best_of(const std::vector<const Cell*>& pair, double Sample::*measure);

/// The cells of each pair of sizes that has samples.
std::map<std::pair<int, int>, std::vector<const Cell*>> by_pair(const std::vector<Cell>& cells);

/// {FROM->TO: {"total": [WAYS], "lost": [WAYS]}}.
nlohmann::json best_map(const std::vector<Cell>& cells);
/// alpha of dynamic-spawning-methods, equation 6: the total in the background over that of the same
/// way blocking, by cell; 0 where there is none.
double alpha_of(const Cell& cell, const std::vector<Cell>& cells);

nlohmann::json to_json(const std::vector<Cell>& cells);
/// What to_json() has written. Throws InputError when it is something else.
std::vector<Cell> cells_in(const nlohmann::json& cells);
/// A line a cell: medians, in seconds.
std::string to_csv(const std::vector<Cell>& cells);
std::string to_table(const std::vector<Cell>& cells);

}  // namespace ductile::bench
