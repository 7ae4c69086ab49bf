// Cases that are small enough to compute by hand.
#include <gtest/gtest.h>

#include "cut_world.hpp"

namespace mpdata::donor_cell_test {
namespace {

constexpr Boundary open = Boundary::open;
constexpr Boundary periodic = Boundary::periodic;

// A row of cells along each dimension in turn; the other dimensions have one cell.
std::vector<double> after_a_step(std::size_t dimension, const Scheme& scheme, Boundary boundary,
                                 const std::vector<double>& psi, double gc, double density) {
    Grid grid{{1, 1, 1}, {periodic, periodic, periodic}};
    grid.cells[dimension] = static_cast<std::int64_t>(psi.size());
    grid.boundary[dimension] = boundary;
    const auto [ni, nj, nk] = grid.cells;
    const auto along = [&](std::size_t d) {
        return [&, d](const Place&) { return d == dimension ? gc : 0.0; };
    };
    const WholeFields fields{psi, std::vector<double>(psi.size(), density),
                             filled(ni + 1, nj, nk, along(0)), filled(ni, nj + 1, nk, along(1)),
                             filled(ni, nj, nk + 1, along(2))};
    return after(1, grid, scheme, fields);
}

TEST(DonorCell, Cases) {
    const struct {
        const char* name;
        Boundary boundary;
        double gc, density;
        std::vector<double> before, after;
    } table[] = {
        {"to the right", periodic, 0.5, 1, {0, 4, 0, 0}, {0, 2, 2, 0}},
        {"to the left", periodic, -0.25, 1, {4, 0, 0, 0}, {3, 0, 0, 1}},
        {"half as dense", periodic, 0.25, 0.5, {0, 4, 0, 0}, {0, 2, 2, 0}},
        {"open: as the outermost cell", open, 0.5, 1, {4, 0, 0, 2}, {4, 2, 0, 1}},
    };
    for (const auto& row : table)
        for (std::size_t dimension = 0; dimension < 3; ++dimension)
            EXPECT_EQ(after_a_step(dimension, {1, false, false}, row.boundary, row.before, row.gc,
                                   row.density),
                      row.after)
                << row.name << ", dimension " << dimension;
}

// Along one dimension with C = 1/2 the velocity at a face is 1/4 A, and the donor cell leaves the
// mean of a cell and the one before it.
TEST(Correction, Cases) {
    const struct {
        const char* name;
        Scheme scheme;
        std::vector<double> before, after;
    } table[] = {
        // {0, 2, 2, 0}: A is 1 and -1 beside the two cells, and their neighbours have nothing to
        // give.
        {"sign preserving", {2, false, false}, {0, 4, 0, 0}, {0, 2, 2, 0}},
        // The same with a flux of 1/4 (r - l) / 2, which takes what is not there.
        {"infinite gauge", {2, false, true}, {0, 4, 0, 0}, {-0.25, 2.25, 2.25, -0.25}},
        // ... or at most what is there.
        {"infinite gauge, limited", {2, true, true}, {0, 4, 0, 0}, {0, 2, 2, 0}},
        // {1, 2.5, 2.5, 1}: A is 1.5 / 3.5, and 1/4 A of 1 comes from each side.
        {"on a floor", {2, false, false}, {1, 4, 1, 1}, {25 / 28., 73 / 28., 73 / 28., 25 / 28.}},
    };
    for (const auto& row : table)
        for (std::size_t dimension = 0; dimension < 3; ++dimension) {
            const auto found = after_a_step(dimension, row.scheme, periodic, row.before, 0.5, 1);
            for (std::size_t i = 0; i < found.size(); ++i)
                EXPECT_NEAR(found[i], row.after[i], 1e-15)
                    << row.name << ", dimension " << dimension << ", cell " << i;
        }
}

}  // namespace
}  // namespace mpdata::donor_cell_test
