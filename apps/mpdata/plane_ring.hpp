// The last few planes of something that a sweep computes plane after plane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpdata {

/// Rows of `width` values, which can be read one value before and behind.
class PlaneRing {
  public:
    PlaneRing() = default;
    PlaneRing(std::int64_t depth, std::int64_t rows, std::int64_t width)
        : depth_(depth),
          rows_(rows),
          stride_(width + 2),
          values_(static_cast<std::size_t>(depth * rows * (width + 2))) {}

    /// The first row of a plane is called `first_row` from now on.
    void begin_at(std::int64_t first_row) { first_row_ = first_row; }

    [[nodiscard]] bool empty() const { return values_.empty(); }
    /// Holds what was written there unless `depth` later planes have been begun. `plane` may be
    /// negative.
    [[nodiscard]] double* row(std::int64_t plane, std::int64_t row) {
        const std::int64_t slot = (plane % depth_ + depth_) % depth_;
        return values_.data() + (slot * rows_ + (row - first_row_)) * stride_ + 1;
    }

  private:
    std::int64_t depth_ = 0;
    std::int64_t first_row_ = 0;
    std::int64_t rows_ = 0;
    std::int64_t stride_ = 0;
    std::vector<double> values_;
};

}  // namespace mpdata
