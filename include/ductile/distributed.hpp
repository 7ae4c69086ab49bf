/// \file
/// Arrays whose elements are of one size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "ductile/part.hpp"

namespace ductile {

class Job;

/// This rank's part of a distributed array; move-only. It holds its elements one after the other,
/// in rising order of their global index; of blocks, which a `Distribution` is unless it says
/// something else, that is one contiguous range. An element is `width` values of T: a row of a
/// grid, say; element e's values begin at local()[to_local(e) * width()].
///
/// Example: 10 elements of width 3 on 4 ranks: rank 1 has offset() 3, count() 3, local().size() 9.
/// An array that was made with a `Halo` has room for ghosts in front of the part and behind it.
/// What is there after a resize is not defined: `Job::on_rebuild` is the place to exchange them.
///
/// After `Resized::resized` everything that came from here is void and must be asked for again;
/// after any other answer it stays valid and untouched.
template <class T>
class Distributed : public Part {
  public:
    /// The part, element by element.
    [[nodiscard]] std::span<T> local() {
        return {data(), static_cast<std::size_t>(count() * width_)};
    }
    [[nodiscard]] std::span<const T> local() const {
        return {data(), static_cast<std::size_t>(count() * width_)};
    }
    /// The part with its ghosts: halo().before elements, the part, halo().after elements.
    [[nodiscard]] std::span<T> with_halo() {
        const auto [before, after] = halo();
        return {data() - before * width_,
                static_cast<std::size_t>((before + count() + after) * width_)};
    }
    /// Elements of room for ghosts.
    [[nodiscard]] Halo halo() const { return detail::array_halo(array()); }
    [[nodiscard]] T& operator[](std::int64_t i) { return local()[static_cast<std::size_t>(i)]; }
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
