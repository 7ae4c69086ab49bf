// Samples of two sides, taken in turn, so that both meet the same disturbances.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ductile::bench {

struct Side {
    std::string name;
    std::function<void()> sample;         ///< takes one sample; throws when it fails
    std::vector<std::string> failures{};  ///< messages
};

/// Takes `repeat` samples of each side, in turn. The side that goes first changes each time. A
/// sample that fails is recorded and taken again. Throws SystemError when more samples of a side
/// have failed than half of `repeat`, rounded up. Shows progress on standard error.
void alternate(const std::string& name, int repeat, Side& first, Side& second);

}  // namespace ductile::bench
