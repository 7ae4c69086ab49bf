#include "common/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace ductile::bench {

double quantile(std::vector<double> samples, double part) {
    std::sort(samples.begin(), samples.end());
    const double place = part * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const auto above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], place - std::floor(place));
}

Spread spread_of(const std::vector<double>& samples) {
    if (samples.empty()) return {};
    return {static_cast<int>(samples.size()),
            quantile(samples, 0),
            quantile(samples, 0.25),
            quantile(samples, 0.5),
            quantile(samples, 0.75),
            quantile(samples, 0.9),
            quantile(samples, 1)};
}

}  // namespace ductile::bench
