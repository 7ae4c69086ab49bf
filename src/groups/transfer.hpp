// The data of a collective operation, and its cutting into segments.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ductile::groups {

/// `count` elements of an MPI datatype, cut so that a segment has about `segment_bytes`. An
/// operation on nothing has one segment of nothing.
class Segments {
  public:
    Segments(std::int64_t count, MPI_Datatype type, std::int64_t segment_bytes);

    [[nodiscard]] std::int64_t number() const { return number_; }
    /// Elements in a segment, of which the last may have fewer. Never more than MPI can count.
    [[nodiscard]] int count_of(std::int64_t segment) const {
        return static_cast<int>(std::min(size_, count_ - segment * size_));
    }
    [[nodiscard]] int most() const { return static_cast<int>(std::min(size_, count_)); }
    [[nodiscard]] MPI_Datatype type() const { return type_; }
    /// Where a segment of a buffer with all elements begins.
    template <class Byte>
    [[nodiscard]] Byte* at(Byte* buffer, std::int64_t segment) const {
        return buffer + segment * size_ * extent_;
    }
    /// Bytes that so many elements take, from the first one's lowest byte.
    [[nodiscard]] std::size_t bytes_of(std::int64_t elements) const;
    /// Of the lowest byte of an element, beside its address.
    [[nodiscard]] std::ptrdiff_t lower_bound() const { return lower_; }
    [[nodiscard]] std::ptrdiff_t extent() const { return extent_; }
    /// Whether elements are their bytes, without gaps.
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
