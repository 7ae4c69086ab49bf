#include "mpdata/problem.hpp"

#include <stdexcept>

#include "mpdata/returning_wave.hpp"
#include "mpdata/revolving_sphere.hpp"

namespace mpdata {

std::unique_ptr<Problem> make_problem(const std::string& name, const Grid& grid) {
    if (name == "revolving_sphere") return std::make_unique<RevolvingSphere>(grid);
    if (name == "returning_wave") return std::make_unique<ReturningWave>(grid);
    throw std::invalid_argument("there is no problem '" + name +
                                "'; there are revolving_sphere and returning_wave");
}

}  // namespace mpdata
