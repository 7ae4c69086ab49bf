#include "workload/efficiency.hpp"

#include <algorithm>

#include "core/contract.hpp"

namespace ductile::workload {

namespace {

// Equal efficiencies may differ by the rounding of their divisions.
constexpr double rounding = 1e-9;

void normalise(std::vector<Efficiency>& series) {
    const auto [min, max] = std::ranges::minmax(series, {}, &Efficiency::efficiency);
    const double low = min.efficiency, range = max.efficiency - min.efficiency;
    if (range <= rounding) return;
    for (auto& one : series) one.normalised = (one.efficiency - low) / range;
}

}  // namespace

std::vector<Efficiency> efficiencies(const IterationTimes& iteration_s, int min_hosts) {
    DUCTILE_EXPECT(iteration_s.contains(min_hosts));
    const double slowest_s = iteration_s.at(min_hosts);
    std::vector<Efficiency> series;
    for (auto it = iteration_s.find(min_hosts); it != iteration_s.end(); ++it) {
        const auto& [hosts, seconds] = *it;
        const double speedup = slowest_s / seconds;
        series.push_back({hosts, speedup, speedup * min_hosts / hosts});
    }
    normalise(series);
    return series;
}

int efficient_hosts(const IterationTimes& iteration_s, int min_hosts, double min_efficiency) {
    int largest = min_hosts;
    for (const auto& one : efficiencies(iteration_s, min_hosts))
        if (one.efficiency >= min_efficiency - rounding) largest = one.hosts;
    return largest;
}

}  // namespace ductile::workload
