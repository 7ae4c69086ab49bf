// What balanced-spanning-trees measured: Table II, k = 3, on an IBM Blue Gene/P.
#pragma once

#include <array>
#include <optional>

#include "tree/method.hpp"

namespace ductile::sim {

/// One printed cell; the paper leaves three cells empty.
struct PrintedCell {
    std::optional<int> time_us;
    std::optional<int> messages;
};

/// Processes in the parent group, one for each pair of columns: 2k to 128k.
inline constexpr std::array table_ii_processes{2048, 4096, 8192, 16384, 32768, 65536, 131072};
inline constexpr int table_ii_branching = 3;

struct PrintedRow {
    double fraction = 0;
    tree::Algorithm algorithm = tree::Algorithm::centralized;
    std::array<PrintedCell, table_ii_processes.size()> cells;
};

/// Table II, row by row: hash without filler, balance with leaf filler.
extern const std::array<PrintedRow, 21> table_ii;

/// The printed cell; throws std::out_of_range for a fraction or algorithm without a row.
const PrintedCell& printed_cell(double fraction, tree::Algorithm algorithm, std::size_t column);

/// The members of the new group in a column of a fraction's rows. The fraction is a probability
/// there, so m is taken from the centralized row: M_c = (n - 1) + (m - 1).
int members_in(double fraction, std::size_t column);

}  // namespace ductile::sim
