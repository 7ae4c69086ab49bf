// The last few planes of an array that a sweep computes plane after plane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace mpdata {

/// Rows of one plane, which begin `stride` values apart.
template <class Value>
struct Plane {
    Value* first = nullptr;
    std::int64_t stride = 0;
    std::int64_t first_row = 0;

    [[nodiscard]] Value* row(std::int64_t j) const { return first + (j - first_row) * stride; }
};

/// Allocates memory that begins at a cache line.
template <class Value>
struct LineAllocator {
    using value_type = Value;
    static constexpr std::align_val_t line{64};

    Value* allocate(std::size_t n) {
        return static_cast<Value*>(::operator new(n * sizeof(Value), line));
    }
    void deallocate(Value* values, std::size_t) { ::operator delete(values, line); }
    bool operator==(const LineAllocator&) const = default;
};

/// `depth` planes of `rows` rows of `width` values. One more value can be read before and behind
/// each row. Each row begins at a cache line, so that few vectors lie in two cache lines.
class PlaneRing {
  public:
    PlaneRing() = default;
    PlaneRing(std::int64_t depth, std::int64_t rows, std::int64_t width)
        : depth_(depth),
          rows_(rows),
          stride_((width + 1 + 2 * line - 1) / line * line),
          values_(static_cast<std::size_t>(depth * rows * stride_)) {}

    /// From now on, the first row of each plane has the index `first_row`.
    void begin_at(std::int64_t first_row) { first_row_ = first_row; }

    [[nodiscard]] bool empty() const { return values_.empty(); }
    /// The plane with the index `plane`, which may be negative. The plane with an index larger by
    /// `depth` has the same memory, and overwrites it.
    [[nodiscard]] Plane<double> plane(std::int64_t plane) {
        const std::int64_t slot = (plane % depth_ + depth_) % depth_;
        return {values_.data() + slot * rows_ * stride_ + line, stride_, first_row_};
    }

  private:
    static constexpr std::int64_t line = 8;  ///< values in a cache line

    std::int64_t depth_ = 0;
    std::int64_t first_row_ = 0;
    std::int64_t rows_ = 0;
    std::int64_t stride_ = 0;
    std::vector<double, LineAllocator<double>> values_;
};

}  // namespace mpdata
