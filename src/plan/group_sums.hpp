// Which sizes the whole groups of a job can make up together.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/layout.hpp"

namespace ductile::plan {

/// The subset sums of a list of groups, counted in units of the greatest common divisor of their
/// sizes. A sum that the first k groups allow stays possible with more of them, so one number tells
/// all about a sum: the smallest such k.
///
/// Example: groups of 2, 3 and 4 ranks. 5 needs the first two, 4 and 6 all three; 8 is impossible.
class GroupSums {
  public:
    /// Throws std::invalid_argument for a group of fewer than 1 rank.
    explicit GroupSums(const std::vector<core::Group>& groups);

    /// Whether some of the first k groups have `ranks` ranks together; 0 ranks always are (no
    /// group).
    [[nodiscard]] bool reaches(int ranks, int k) const;

    /// The possible sums of at least one group that lie next to `ranks`, which itself does not
    /// count: the next below and the next above, rising; either may be missing. In the example
    /// nearest(8) is {7, 9}.
    [[nodiscard]] std::vector<int> nearest(int ranks) const;

  private:
    static constexpr int never = std::numeric_limits<int>::max();

    void add(std::size_t size, int group_number);

    int unit_ = 0;
    std::vector<int> needed_;              // per sum, in units: the smallest k, or never
    std::vector<std::uint64_t> possible_;  // the same as one bit a sum: what makes `add` fast
};

}  // namespace ductile::plan
