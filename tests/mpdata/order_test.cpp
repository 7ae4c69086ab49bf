// The order of convergence at a fixed Courant number, in a fluid of variable density.
#include <gtest/gtest.h>

#include <cmath>

#include "cut_world.hpp"
#include "mpdata/returning_wave.hpp"

namespace mpdata::order_test {
namespace {

// The root of the mean squared error after one return of the wave.
double error(const Scheme& scheme, std::int64_t cells) {
    constexpr Boundary periodic = Boundary::periodic;
    const Grid grid{{cells, cells, cells}, {periodic, periodic, periodic}};
    const auto fields = fields_of(ReturningWave(grid), grid);
    const int steps = ReturningWave::steps_per_cell * static_cast<int>(cells);
    const auto psi = after(steps, grid, scheme, fields);
    double sum = 0;
    for (std::size_t i = 0; i < psi.size(); ++i)
        sum += (psi[i] - fields.psi[i]) * (psi[i] - fields.psi[i]);
    return std::sqrt(sum / static_cast<double>(psi.size()));
}

double order(const char* name, const Scheme& scheme, std::int64_t cells) {
    const double coarse = error(scheme, cells);
    const double fine = error(scheme, 2 * cells);
    const double found = std::log2(coarse / fine);
    const auto shown = static_cast<long long>(cells);
    std::printf("%-16s %lld and twice as many cells: %.3e and %.3e, order %.2f\n", name, shown,
                coarse, fine, found);
    return found;
}

TEST(Order, IsTwoWithACorrection) {
    EXPECT_GE(order("basic", {2, false, false}, 24), 1.9);
    EXPECT_GE(order("infinite gauge", {2, false, true}, 24), 1.9);
    EXPECT_GE(order("three passes", {3, false, false}, 24), 1.9);
}

// This shows that the order above comes from the corrections.
TEST(Order, IsOneWithout) {
    EXPECT_LE(order("donor cell", {1, false, false}, 24), 1.2);
}

}  // namespace
}  // namespace mpdata::order_test
