// The test of Mann and Whitney, by which dmr-slurm-mpdata compares configurations (section 5.2).
// Pure.
#pragma once

#include <vector>

namespace ductile::workload {

/// Whether a p-value is exact.
enum class PValue { exact, approximate };

struct MannWhitney {
    /// Number of pairs whose value in the first sample is larger. Equal values count one half.
    double u = 0;
    /// Likelihood of a u that is as far from its mean or farther, if both samples come from the
    /// same distribution (two-sided).
    double p = 1;
    PValue how = PValue::exact;
};

/// Compares two samples, neither of which is empty. If both together have at most 20 values, p is
/// exact, also with equal values: it counts all ways to divide the values into two samples of these
/// sizes. Otherwise p comes from the normal distribution, corrected for equal values and for
/// continuity.
[[nodiscard]] MannWhitney mann_whitney(const std::vector<double>& first,
                                       const std::vector<double>& second);

}  // namespace ductile::workload
