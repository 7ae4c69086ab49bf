// A whole sparse matrix by rows (CSR), in the memory of one process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cg {

struct Entry {
    std::int64_t column = 0;
    double value = 0;
    bool operator==(const Entry&) const = default;
};

struct SparseMatrix {
    /// For each row the number of entries in the rows before it, and then the number of all
    /// entries: rows() + 1 numbers.
    std::vector<std::int64_t> starts{0};
    std::vector<Entry> entries;  ///< row by row, columns rising

    [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(starts.size()) - 1; }
    [[nodiscard]] std::span<const Entry> row(std::int64_t i) const {
        const auto at = static_cast<std::size_t>(i);
        return std::span(entries).subspan(static_cast<std::size_t>(starts[at]),
                                          static_cast<std::size_t>(starts[at + 1] - starts[at]));
    }
};

}  // namespace cg
