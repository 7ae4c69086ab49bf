#include "mpdata/returning_wave.hpp"

#include <cmath>

namespace mpdata {

double ReturningWave::angle(std::size_t dimension, std::int64_t i) const {
    constexpr double two_pi = 2 * 3.14159265358979323846;
    return two_pi * (static_cast<double>(i) + 0.5) / static_cast<double>(grid_.cells[dimension]);
}

double ReturningWave::psi(const Place& cell) const {
    return 2 + std::sin(angle(0, cell[0])) * std::sin(angle(1, cell[1])) +
           0.5 * std::cos(angle(2, cell[2]));
}

double ReturningWave::density(const Place& cell) const {
    return 1 + 0.1 * (std::sin(angle(0, cell[0])) + std::cos(angle(1, cell[1])) +
                      std::sin(angle(2, cell[2])));
}

double ReturningWave::courant(std::size_t /*dimension*/, const Place& /*face*/) const {
    return 1.0 / steps_per_cell;
}

}  // namespace mpdata
