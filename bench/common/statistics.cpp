#include "common/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/contract.hpp"

namespace ductile::bench {

double quantile(std::vector<double> samples, double part) {
    DUCTILE_EXPECT(!samples.empty() && part >= 0 && part <= 1);
    std::sort(samples.begin(), samples.end());
    const double place = part * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const auto above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], place - std::floor(place));
}

double mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
    DUCTILE_EXPECT(!a.empty() && !b.empty());
    std::map<double, std::pair<int, int>> at;  // how many of each side have this value
    for (const double x : a) ++at[x].first;
    for (const double x : b) ++at[x].second;
    const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
    double below = 0, u = 0, ties = 0;
    for (const auto& [value, counts] : at) {
        const double of_a = counts.first, of_b = counts.second;
        u += of_a * (below + of_b / 2);  // samples of b below each of a
        below += of_b;
        const double t = of_a + of_b;
        ties += t * t * t - t;
    }
    const double all = n + m;
    const double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
    if (variance <= 0) return 1;
    const double away = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
    return std::erfc(away / std::sqrt(variance) / std::sqrt(2.0));
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
