#include "mpdata/scheme.hpp"

#include <stdexcept>

namespace mpdata {

void check(const Scheme& scheme) {
    if (scheme.passes < 1 || scheme.passes > 8)
        throw std::invalid_argument("the number of passes is from 1 to 8");
    if (scheme.infinite_gauge && scheme.passes > 2)
        throw std::invalid_argument("an infinite gauge has at most 2 passes");
}

}  // namespace mpdata
