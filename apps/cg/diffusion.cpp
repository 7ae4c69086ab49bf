#include "cg/diffusion.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace cg {

namespace {

// The conductivity of the edge between points a and b: the same for b and a, and on every machine.
double conductivity(std::int64_t a, std::int64_t b) {
    return 0.1 + static_cast<double>((std::min(a, b) * 31 + std::max(a, b) * 17) % 97) / 9.7;
}

struct Grid {
    std::int64_t side;

    [[nodiscard]] bool is_fine(std::int64_t row) const { return row < side / 4; }
    [[nodiscard]] bool joins(std::int64_t row, std::int64_t col, std::int64_t other_row,
                             std::int64_t other_col) const {
        if (other_row < 0 || other_row >= side || other_col < 0 || other_col >= side) return false;
        const auto rows = std::abs(row - other_row), cols = std::abs(col - other_col);
        if (rows + cols == 1) return true;
        if (!is_fine(row) || !is_fine(other_row)) return false;
        return (rows == 1 && cols == 1) || (rows == 0 && (col == 0 || other_col == 0));
    }
    [[nodiscard]] std::vector<Entry> edges_of(std::int64_t row, std::int64_t col) const {
        std::vector<Entry> edges;
        const auto point = row * side + col;
        const auto add = [&](std::int64_t other_row, std::int64_t other_col) {
            const auto other = other_row * side + other_col;
            if (other != point && joins(row, col, other_row, other_col))
                edges.push_back({other, -conductivity(point, other)});
        };
        for (auto other_row = row - 1; other_row <= row + 1; ++other_row) {
            if (other_row == row && is_fine(row) && col == 0) {
                for (std::int64_t other = 0; other < side; ++other) add(row, other);
                continue;
            }
            if (other_row == row && is_fine(row) && col > 1) add(row, 0);
            for (auto other = col - 1; other <= col + 1; ++other) add(other_row, other);
        }
        return edges;
    }
};

}  // namespace

SparseMatrix diffusion(std::int64_t side) {
    const Grid grid{side};
    SparseMatrix matrix;
    for (std::int64_t point = 0; point < side * side; ++point) {
        auto row = grid.edges_of(point / side, point % side);
        double diagonal = 0.01;
        for (const auto& edge : row) diagonal -= edge.value;
        row.push_back({point, diagonal});
        std::ranges::sort(row, {}, &Entry::column);
        matrix.entries.insert(matrix.entries.end(), row.begin(), row.end());
        matrix.starts.push_back(static_cast<std::int64_t>(matrix.entries.size()));
    }
    return matrix;
}

}  // namespace cg
