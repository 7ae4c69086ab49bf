/// \file
/// Arrays of rows that differ in length: a sparse matrix, the neighbours of each vertex.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "ductile/part.hpp"

namespace ductile {

class Job;

/// This rank's rows; move-only. An element of the array is a row: so many values of T as the
/// program says with set_lengths(), kept one row after the other. A row moves with its values.
///
/// Example: a matrix by rows (CSR) with T = struct { std::int64_t column; double value; };
/// starts() is the part's row pointer.
///
/// After `Resized::resized` everything that came from here is void and must be asked for again;
/// after any other answer it stays valid and untouched.
template <class T>
class Ragged : public Part {
  public:
    /// Gives the part's rows these lengths, in values of T, one for each row; all values become
    /// zero. Throws InputError when there are not count() lengths, or one is negative, and
    /// SystemError when there is no memory.
    void set_lengths(std::span<const std::int64_t> lengths) {
        detail::set_row_lengths(array(), lengths);
    }
    /// Where each row begins in values(), and, as the last one, where they end: count() + 1
    /// numbers.
    [[nodiscard]] std::span<const std::int64_t> starts() const {
        return detail::array_starts(array());
    }
    /// The values of all rows of the part.
    [[nodiscard]] std::span<T> values() { return {data(), index(starts().back())}; }
    [[nodiscard]] std::span<const T> values() const { return {data(), index(starts().back())}; }
    /// The values of the part's row i, 0 <= i < count().
    [[nodiscard]] std::span<T> operator[](std::int64_t i) {
        const auto begin = starts()[index(i)], end = starts()[index(i + 1)];
        return {data() + begin, index(end - begin)};
    }
    [[nodiscard]] std::span<const T> operator[](std::int64_t i) const {
        const auto begin = starts()[index(i)], end = starts()[index(i + 1)];
        return {data() + begin, index(end - begin)};
    }

  private:
    friend class Job;
    Ragged(detail::Registration registration, std::shared_ptr<detail::ArrayState> array)
        : Part(std::move(registration), std::move(array)) {}
    static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(detail::array_data(array())); }
};

}  // namespace ductile
