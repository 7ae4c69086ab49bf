// Against the errors that are published for libmpdata++ (jaruga-2015).
#include "mpdata/revolving_sphere.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cut_world.hpp"

namespace mpdata::revolving_sphere_test {
namespace {

constexpr std::int64_t cells = 59;
const Grid grid{{cells, cells, cells}, {Boundary::open, Boundary::open, Boundary::open}};

// The root of the mean squared error, divided by the time.
double error(const std::vector<double>& found, const std::vector<double>& exact, int steps) {
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        sum += (found[i] - exact[i]) * (found[i] - exact[i]);
    return std::sqrt(sum / static_cast<double>(found.size())) / (steps * RevolvingSphere::step_s);
}

TEST(RevolvingSphere, ErrorsAreAsPublished) {
    const auto fields = fields_of(RevolvingSphere(grid), grid);
    const int steps = RevolvingSphere::steps_of_a_turn;
    const struct {
        const char* name;
        Scheme scheme;
        double published;
    } table[] = {{"upwind", {1, false, false}, 5.672e-3},
                 {"basic", {2, false, false}, 3.674e-3},
                 {"non-oscillatory", {2, true, false}, 3.656e-3},
                 {"infinite gauge, non-oscillatory", {2, true, true}, 2.811e-3}};
    for (const auto& row : table) {
        const double found = error(after(steps, grid, row.scheme, fields), fields.psi, steps);
        std::printf("%-32s %.4fe-3, published %.3fe-3\n", row.name, found * 1e3,
                    row.published * 1e3);
        EXPECT_NEAR(found / row.published, 1.0, 0.01) << row.name;
    }
}

}  // namespace
}  // namespace mpdata::revolving_sphere_test
