// The data of a collective operation, cut into segments.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ductile::groups {

/// `count` elements of an MPI datatype, cut into segments of about `segment_bytes`. Without
/// elements there is one empty segment.
class Segments {
  public:
    Segments(std::int64_t count, MPI_Datatype type, std::int64_t segment_bytes);

    [[nodiscard]] std::int64_t number() const { return number_; }
    /// Elements in a segment, never more than MPI can count. The last segment may have fewer.
    [[nodiscard]] int count_of(std::int64_t segment) const {
        return static_cast<int>(std::min(size_, count_ - segment * size_));
    }
    [[nodiscard]] int most() const { return static_cast<int>(std::min(size_, count_)); }
    [[nodiscard]] MPI_Datatype type() const { return type_; }
    /// The address of a segment in a buffer with all elements.
    template <class Byte>
    [[nodiscard]] Byte* at(Byte* buffer, std::int64_t segment) const {
        return buffer + segment * size_ * extent_;
    }
    /// The number of bytes of `elements` elements, from the lowest byte of the first one.
    [[nodiscard]] std::size_t bytes_of(std::int64_t elements) const;
    /// The offset of the lowest byte of an element from its address.
    [[nodiscard]] std::ptrdiff_t lower_bound() const { return lower_; }
    [[nodiscard]] std::ptrdiff_t extent() const { return extent_; }
    /// Whether elements have no gaps.
    [[nodiscard]] bool dense() const { return dense_; }

  private:
    std::int64_t count_;
    MPI_Datatype type_;
    std::int64_t size_ = 1;
    std::int64_t number_ = 1;
    std::ptrdiff_t extent_ = 0;
    std::ptrdiff_t lower_ = 0;
    std::ptrdiff_t true_extent_ = 0;
    bool dense_ = false;
};

}  // namespace ductile::groups
