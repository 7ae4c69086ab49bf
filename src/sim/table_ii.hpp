// Table II of balanced-spanning-trees, k = 3, measured on an IBM Blue Gene/P.
#pragma once

#include <array>
#include <optional>

#include "tree/method.hpp"

namespace ductile::sim {

/// One printed cell. The paper leaves three cells empty.
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

/// Table II, row by row. shrink_and_hash has no filler, shrink_and_balance has the leaf filler.
extern const std::array<PrintedRow, 21> table_ii;

/// The printed cell. Throws std::out_of_range for a fraction or algorithm without a row.
const PrintedCell& printed_cell(double fraction, tree::Algorithm algorithm, std::size_t column);

/// The number m of members of the new group, in one column of the rows of a fraction. In the paper
/// the fraction is a probability. So m follows from the messages M_c of the centralized row and
/// from the n processes of the column: M_c = (n - 1) + (m - 1).
int members_in(double fraction, std::size_t column);

}  // namespace ductile::sim
