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

/// Samples `first` and `second` in turn, `repeat` times each, and which of them goes first in turn,
/// too. A sample that fails is noted and taken again; throws SystemError when half of all fail.
/// Shows progress on standard error.
void alternate(const std::string& name, int repeat, Side& first, Side& second);

}  // namespace ductile::bench
