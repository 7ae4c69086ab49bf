// The matrix that cg makes.
#include "cg/diffusion.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cg::diffusion_test {
namespace {

double value_at(const SparseMatrix& matrix, std::int64_t row, std::int64_t column) {
    for (const auto& entry : matrix.row(row))
        if (entry.column == column) return entry.value;
    return 0;
}

TEST(Diffusion, IsSymmetricAndPositiveDefinite) {
    for (const std::int64_t side : {4, 5, 9, 16}) {
        const auto matrix = diffusion(side);
        ASSERT_EQ(matrix.rows(), side * side);
        for (std::int64_t row = 0; row < matrix.rows(); ++row) {
            const auto entries = matrix.row(row);
            EXPECT_TRUE(
                std::ranges::is_sorted(entries, std::ranges::less_equal(), &Entry::column) ||
                entries.size() < 2);
            double others = 0;
            for (const auto& [column, value] : entries) {
                EXPECT_EQ(value, value_at(matrix, column, row)) << row << ' ' << column;
                if (column == row) continue;
                EXPECT_LT(value, 0);
                others -= value;
            }
            // By Gershgorin's theorem, all eigenvalues are then positive.
            EXPECT_GT(value_at(matrix, row, row), others) << row;
        }
    }
}

TEST(Diffusion, HasNoEntryTwice) {
    const auto matrix = diffusion(8);
    for (std::int64_t row = 0; row < matrix.rows(); ++row) {
        const auto entries = matrix.row(row);
        EXPECT_EQ(std::ranges::adjacent_find(entries, {}, &Entry::column), entries.end()) << row;
    }
}

TEST(Diffusion, BeginsWithLongerRows) {
    const auto matrix = diffusion(16);
    const auto half = matrix.starts[static_cast<std::size_t>(matrix.rows() / 2)];
    EXPECT_GT(half, matrix.starts.back() * 11 / 20);
    EXPECT_EQ(matrix.row(0).size(), 18U) << "15 along its row, 2 below, itself";
}

}  // namespace
}  // namespace cg::diffusion_test
