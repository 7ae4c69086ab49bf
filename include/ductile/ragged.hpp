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

/// This rank's rows; move-only. An element of the array is a row: a number of values of T, which
/// the program sets with set_lengths(). The rows lie one after the other. A row moves with its
/// values.
///
/// Example: a matrix by rows (CSR) with T = struct { std::int64_t column; double value; };
/// starts() is the part's row pointer.
///
/// After `Resized::resized` all results of earlier calls are invalid: call these functions again.
/// After any other answer they stay valid, and the data is unchanged.
template <class T>
class Ragged : public Part {
  public:
    /// Sets the lengths of the part's rows, in values of T, one length for each row. All values
    /// become zero. Throws InputError when the number of lengths is not count(), or a length is
    /// negative; UsageError when the rows are frozen; SystemError when there is no memory.
    void set_lengths(std::span<const std::int64_t> lengths) {
        detail::set_row_lengths(array(), lengths);
    }
    /// Where each row begins in values(), and then where the last row ends: count() + 1 numbers
    /// in all.
    [[nodiscard]] std::span<const std::int64_t> starts() const {
        return detail::array_starts(array());
    }
    /// The values of all rows of the part.
    [[nodiscard]] std::span<T> values() { return {data(), index(starts().back())}; }
    /// The values of all rows, read-only.
    [[nodiscard]] std::span<const T> values() const { return {data(), index(starts().back())}; }
    /// The values of the part's row i, 0 <= i < count().
    [[nodiscard]] std::span<T> operator[](std::int64_t i) {
        const auto begin = starts()[index(i)], end = starts()[index(i + 1)];
        return {data() + begin, index(end - begin)};
    }
    /// The values of the part's row i, read-only.
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
