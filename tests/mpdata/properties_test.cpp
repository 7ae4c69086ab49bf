// What MPDATA promises of any input.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <numeric>

#include "cut_world.hpp"
#include "random_fields.hpp"

namespace mpdata::properties_test {
namespace {

constexpr Boundary open = Boundary::open;
constexpr Boundary periodic = Boundary::periodic;
const std::vector<Scheme> schemes{{1, false, false}, {2, false, false}, {2, true, false},
                                  {2, false, true},  {2, true, true},   {3, false, false},
                                  {3, true, false}};

double mass(const std::vector<double>& psi, const std::vector<double>& density) {
    return std::inner_product(psi.begin(), psi.end(), density.begin(), 0.0);
}

double largest_difference(const std::vector<double>& one, const std::vector<double>& other) {
    double largest = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
        largest = std::max(largest, std::fabs(one[i] - other[i]));
    return largest;
}

TEST(Mass, IsConservedWhenPeriodic) {
    const Grid grid{{12, 11, 10}, {periodic, periodic, periodic}};
    const auto fields = random_fields(grid, 11);
    const double before = mass(fields.psi, fields.density);
    for (const auto& scheme : schemes) {
        const auto psi = after(50, grid, scheme, fields);
        EXPECT_GT(largest_difference(psi, fields.psi), 0.1);
        EXPECT_NEAR(mass(psi, fields.density) / before, 1.0, 1e-12)
            << scheme.passes << scheme.non_oscillatory << scheme.infinite_gauge;
    }
}

TEST(Mass, ChangesByWhatPassesAnOpenBoundary) {
    const Grid grid{{1, 1, 4}, {open, open, open}};
    WholeFields fields{{1, 2, 4, 8},
                       {1, 1, 1, 1},
                       std::vector<double>(8),
                       std::vector<double>(8),
                       std::vector<double>(5, 0.25)};
    for (const auto& scheme : schemes) {
        const auto psi = after(1, grid, scheme, fields);
        // The content of the first cell flows in, and the content of the last cell flows out.
        EXPECT_NEAR(mass(psi, fields.density), 15 + 0.25 * 1 - 0.25 * 8, 1e-12);
    }
}

TEST(Sign, IsPreserved) {
    for (const Boundary boundary : {open, periodic}) {
        const Grid grid{{12, 11, 10}, {boundary, boundary, boundary}};
        const auto fields = random_fields(grid, 5);
        for (const auto& scheme : schemes) {
            if (scheme.infinite_gauge && !scheme.non_oscillatory) continue;
            const auto psi = after(40, grid, scheme, fields);
            // Numbers that are too small for full precision may be rounded to below zero.
            EXPECT_GE(*std::min_element(psi.begin(), psi.end()), -DBL_MIN)
                << scheme.passes << scheme.non_oscillatory << scheme.infinite_gauge;
        }
    }
}

TEST(Sign, AFieldsNegativeIsAdvectedAlike) {
    const Grid grid{{9, 8, 7}, {periodic, open, periodic}};
    const auto fields = random_fields(grid, 9);
    auto negative = fields;
    for (double& value : negative.psi) value = -value;
    for (const auto& scheme : schemes) {
        // These schemes treat a field beside an empty cell as positive.
        if (scheme.passes > 2 && scheme.non_oscillatory) continue;
        auto psi = after(5, grid, scheme, negative);
        for (double& value : psi) value = -value;
        EXPECT_LE(largest_difference(psi, after(5, grid, scheme, fields)), 1e-13);
    }
}

// A flow without divergence: at each cell as much comes in as goes out.
WholeFields smooth_flow(const Grid& grid, std::uint64_t seed) {
    auto fields = random_fields(grid, seed);
    std::fill(fields.x.begin(), fields.x.end(), 0.1);
    std::fill(fields.y.begin(), fields.y.end(), -0.07);
    std::fill(fields.z.begin(), fields.z.end(), 0.13);
    return fields;
}

TEST(Uniform, AUniformFieldStaysUniform) {
    for (const Boundary boundary : {open, periodic}) {
        const Grid grid{{9, 8, 7}, {boundary, boundary, boundary}};
        auto fields = smooth_flow(grid, 2);
        std::fill(fields.psi.begin(), fields.psi.end(), 3.0);
        for (const auto& scheme : schemes)
            EXPECT_LE(largest_difference(after(20, grid, scheme, fields), fields.psi), 1e-13);
    }
}

TEST(NonOscillatory, GivesNoNewExtremum) {
    const Grid grid{{12, 11, 10}, {periodic, periodic, periodic}};
    const auto fields = smooth_flow(grid, 4);
    const auto most = *std::max_element(fields.psi.begin(), fields.psi.end());
    const auto above = [&](const Scheme& scheme) {
        const auto psi = after(10, grid, scheme, fields);
        return *std::max_element(psi.begin(), psi.end()) - most;
    };
    EXPECT_LE(above({2, true, false}), 1e-15);
    EXPECT_LE(above({2, true, true}), 1e-15);
    EXPECT_LE(above({3, true, false}), 1e-15);
}

TEST(NonOscillatory, KeepsABlockFromOvershooting) {
    const Grid grid{{24, 1, 1}, {periodic, periodic, periodic}};
    WholeFields block{std::vector<double>(24), std::vector<double>(24, 1.0),
                      std::vector<double>(25, 0.3), std::vector<double>(48),
                      std::vector<double>(48)};
    std::fill(block.psi.begin() + 8, block.psi.begin() + 16, 1.0);
    const auto highest = [&](const Scheme& scheme) {
        const auto psi = after(8, grid, scheme, block);
        return *std::max_element(psi.begin(), psi.end());
    };
    EXPECT_GT(highest({2, false, true}), 1.01);
    EXPECT_LE(highest({2, true, true}), 1 + 1e-15);
}

WholeFields scaled(WholeFields fields, double factor) {
    for (double& value : fields.psi) value *= factor;
    return fields;
}

// The corrections multiply values before they divide: no product may overflow or vanish.
TEST(Magnitude, ChangesNoBit) {
    const Grid grid{{9, 8, 7}, {periodic, open, periodic}};
    const auto fields = random_fields(grid, 13);
    for (const auto& scheme : schemes) {
        const auto expected = after(3, grid, scheme, fields);
        for (const double factor : {0x1p-300, 0x1p450}) {
            auto psi = after(3, grid, scheme, scaled(fields, factor));
            for (double& value : psi) value /= factor;
            EXPECT_TRUE(psi == expected)
                << scheme.passes << scheme.non_oscillatory << scheme.infinite_gauge << factor;
        }
    }
}

// Too small to be corrected, but advected by the donor cell.
TEST(Magnitude, TinyFieldsKeepMassAndSign) {
    const Grid grid{{9, 8, 7}, {periodic, periodic, periodic}};
    const double factor = 0x1p-700;
    const auto fields = scaled(random_fields(grid, 17), factor);
    for (const auto& scheme : schemes) {
        if (scheme.infinite_gauge && !scheme.non_oscillatory) continue;
        const auto psi = after(5, grid, scheme, fields);
        EXPECT_GE(*std::min_element(psi.begin(), psi.end()), -DBL_MIN);
        EXPECT_NEAR(mass(psi, fields.density) / mass(fields.psi, fields.density), 1.0, 1e-12);
    }
}

// The grid turned so that dimension d becomes dimension (d + 1) % 3.
WholeFields turned(const WholeFields& fields, const Grid& grid) {
    const auto [ni, nj, nk] = grid.cells;
    const auto turn = [&](const std::vector<double>& from, const Place& extents) {
        return filled(extents[2], extents[0], extents[1], [&](const Place& at) {
            return from[static_cast<std::size_t>((at[1] * extents[1] + at[2]) * extents[2] +
                                                 at[0])];
        });
    };
    return {turn(fields.psi, {ni, nj, nk}), turn(fields.density, {ni, nj, nk}),
            turn(fields.z, {ni, nj, nk + 1}), turn(fields.x, {ni + 1, nj, nk}),
            turn(fields.y, {ni, nj + 1, nk})};
}

TEST(Dimensions, AreTreatedAlike) {
    for (const auto& boundary :
         {std::array{open, periodic, open}, std::array{periodic, open, open}}) {
        const Grid grid{{6, 7, 8}, boundary};
        const Grid turned_grid{{8, 6, 7}, {boundary[2], boundary[0], boundary[1]}};
        const auto fields = random_fields(grid, 21);
        for (const auto& scheme : schemes) {
            const auto psi = after(5, grid, scheme, fields);
            const auto expected = turned({psi, psi, fields.x, fields.y, fields.z}, grid).psi;
            const auto found = after(5, turned_grid, scheme, turned(fields, grid));
            EXPECT_LE(largest_difference(found, expected), 1e-12);
        }
    }
}

}  // namespace
}  // namespace mpdata::properties_test
