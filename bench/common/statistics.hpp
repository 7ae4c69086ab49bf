// Order statistics of a few samples. Pure.
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

/// The two-sided Mann-Whitney U test, by the normal approximation with correction for ties and
/// continuity (good from about 8 samples a side): how probable a difference at least as large is
/// when both sides are drawn from one distribution. {1..9} against {10..18}: 0.0004; a side against
/// itself: 1. Precondition: samples on both sides.
double mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

/// All zeros when there are no samples.
Spread spread_of(const std::vector<double>& samples);

}  // namespace ductile::bench
