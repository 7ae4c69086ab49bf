// Order statistics of a handful of samples. Pure.
#pragma once

#include <vector>

namespace ductile::bench {

/// The value below which the fraction `part` of the samples lies, interpolated between neighbours:
/// quantile({1, 2, 4}, 0.5) = 2, quantile({1, 2}, 0.5) = 1.5, quantile({10, 20}, 0.9) = 19.
/// Precondition: at least one sample, 0 <= part <= 1.
double quantile(std::vector<double> samples, double part);

struct Spread {
    int samples = 0;
    double min = 0, lower_quartile = 0, median = 0, upper_quartile = 0, p90 = 0, max = 0;
    bool operator==(const Spread&) const = default;
};

/// All zeros when there are no samples.
Spread spread_of(const std::vector<double>& samples);

}  // namespace ductile::bench
