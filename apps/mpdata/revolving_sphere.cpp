#include "mpdata/revolving_sphere.hpp"

#include <cmath>

namespace mpdata {

namespace {
constexpr double edge = 100;
constexpr double radius = 15;
constexpr double value = 4;
constexpr double distance = 25;
constexpr double omega = 0.1;
}  // namespace

RevolvingSphere::RevolvingSphere(const Grid& grid) : spacing_{} {
    for (std::size_t d = 0; d < 3; ++d) spacing_[d] = edge / static_cast<double>(grid.cells[d] - 1);
}

double RevolvingSphere::from_centre(std::size_t dimension, std::int64_t i) const {
    return static_cast<double>(i) * spacing_[dimension] - edge / 2;
}

double RevolvingSphere::psi(const Place& cell) const {
    const double d = distance / std::sqrt(3.0);
    const double x = from_centre(0, cell[0]) + d;
    const double y = from_centre(1, cell[1]) - d;
    const double z = from_centre(2, cell[2]) - d;
    return x * x + y * y + z * z <= radius * radius ? value : 0.0;
}

double RevolvingSphere::density(const Place& /*cell*/) const {
    return 1.0;
}

// The velocity is the cross product of omega, along (1, 1, 1), and r: a component depends only on
// the two other coordinates.
double RevolvingSphere::courant(std::size_t dimension, const Place& face) const {
    const std::size_t next = (dimension + 1) % 3;
    const std::size_t after = (dimension + 2) % 3;
    const double speed =
        omega / std::sqrt(3.0) * (from_centre(after, face[after]) - from_centre(next, face[next]));
    return speed * step_s / spacing_[dimension];
}

}  // namespace mpdata
