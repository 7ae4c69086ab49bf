// The time of an iteration for each number of ranks. Pure.
#pragma once

#include <map>
#include <string>

namespace paced {

class Curve {
  public:
    Curve() = default;
    /// `seconds`: the times by number of ranks. Precondition: not empty.
    explicit Curve(std::map<int, double> seconds) : seconds_(std::move(seconds)) {}

    /// The time for the largest number of ranks in the curve that is not above `ranks`. If all
    /// numbers are above `ranks`: the time for the smallest number.
    [[nodiscard]] double seconds(int ranks) const;

  private:
    std::map<int, double> seconds_{{1, 1.0}};
};

/// Parses a text such as "1:8.9,2:3.4". Numbers of ranks are 1 to 1,000,000, each only once; times
/// are 0 to 1,000,000 s. Throws std::invalid_argument for other entries; the message names the
/// entry.
Curve parse_curve(const std::string& text);

}  // namespace paced
