// The result of a benchmark for one case and one measure: our samples, and those of the other side.
#pragma once

#include <string>
#include <vector>

#include "common/statistics.hpp"

namespace ductile::bench {

enum class Bound { at_most, at_least };

/// A goal, and the measured value.
struct Target {
    std::string what;  ///< "ratio", "p90/median", "speedup", "seconds"
    Bound bound = Bound::at_most;
    double limit = 0;
    double value = 0;
    [[nodiscard]] bool reached() const {
        return bound == Bound::at_most ? value <= limit : value >= limit;
    }
};

struct Row {
    std::string name;                     ///< the case: "1->4"
    std::string measure;                  ///< "stall", "total"
    std::vector<double> ours_s, other_s;  ///< samples, in the order in which they were taken
    std::string other;                    ///< what the other side is
    std::vector<Target> targets;

    [[nodiscard]] double ours_median_s() const { return spread_of(ours_s).median; }
    [[nodiscard]] double other_median_s() const { return spread_of(other_s).median; }
    /// ours / other: below 1 if ours is faster; 0 if there is no other side.
    [[nodiscard]] double ratio() const {
        return other_median_s() > 0 ? ours_median_s() / other_median_s() : 0;
    }
    /// other / ours.
    [[nodiscard]] double speedup() const { return ratio() > 0 ? 1 / ratio() : 0; }
    [[nodiscard]] double p90_over_median() const {
        const auto spread = spread_of(ours_s);
        return spread.median > 0 ? spread.p90 / spread.median : 0;
    }

    Row& expect_ratio(double at_most) {
        targets.push_back({"ratio", Bound::at_most, at_most, ratio()});
        return *this;
    }
    Row& expect_speedup(double at_least) {
        targets.push_back({"speedup", Bound::at_least, at_least, speedup()});
        return *this;
    }
    Row& expect_p90_over_median(double at_most) {
        targets.push_back({"p90/median", Bound::at_most, at_most, p90_over_median()});
        return *this;
    }
    Row& expect_seconds(double at_most) {
        targets.push_back({"seconds", Bound::at_most, at_most, ours_median_s()});
        return *this;
    }
};

}  // namespace ductile::bench
