/// \file
/// Arrays whose elements have the same size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "ductile/part.hpp"

namespace ductile {

class Job;

/// This rank's part of a distributed array; move-only. The part holds its elements one after the
/// other, in rising order of their global index. By default a part is a block: one contiguous
/// range. An element is `width` values of T, such as a row of a grid. The values of element e begin
/// at local()[to_local(e) * width()].
///
/// Example: 10 elements of width 3 on 4 ranks: rank 1 has offset() 3, count() 3, local().size() 9.
/// An array that was made with a `Halo` has room for ghosts in front of the part and behind it.
/// After a resize the ghosts are undefined: exchange them in `Job::on_rebuild`.
///
/// After `Resized::resized` all results of earlier calls are invalid: call these functions again.
/// After any other answer they stay valid, and the data is unchanged.
template <class T>
class Distributed : public Part {
  public:
    /// The part, element by element.
    [[nodiscard]] std::span<T> local() {
        return {data(), static_cast<std::size_t>(count() * width_)};
    }
    /// The part, read-only.
    [[nodiscard]] std::span<const T> local() const {
        return {data(), static_cast<std::size_t>(count() * width_)};
    }
    /// The part with its ghosts: halo().before elements, the part, halo().after elements.
    [[nodiscard]] std::span<T> with_halo() {
        const auto [before, after] = halo();
        return {data() - before * width_,
                static_cast<std::size_t>((before + count() + after) * width_)};
    }
    /// The room for ghosts, in elements.
    [[nodiscard]] Halo halo() const { return detail::array_halo(array()); }
    /// The part's value i, 0 <= i < local().size().
    [[nodiscard]] T& operator[](std::int64_t i) { return local()[static_cast<std::size_t>(i)]; }
    /// The part's value i, read-only.
    [[nodiscard]] const T& operator[](std::int64_t i) const {
        return local()[static_cast<std::size_t>(i)];
    }
    /// Values of T in one element.
    [[nodiscard]] std::int64_t width() const { return width_; }

  private:
    friend class Job;
    Distributed(detail::Registration registration, std::shared_ptr<detail::ArrayState> array,
                std::int64_t width)
        : Part(std::move(registration), std::move(array)), width_(width) {}
    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(detail::array_data(array())); }
    std::int64_t width_;
};

}  // namespace ductile
