/// \file
/// Which elements of a distributed array a rank holds.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ductile/range.hpp"
#include "ductile/registration.hpp"

namespace ductile {

namespace detail {

class ArrayState;

/// What a program says of an array that it registers.
struct NewArray {
    const std::string& name;
    std::string_view type;
    std::size_t value_bytes;
    std::int64_t elements, width;
    Halo halo;
};

DUCTILE_PUBLIC std::byte* array_data(const ArrayState& array);
DUCTILE_PUBLIC Halo array_halo(const ArrayState& array);
DUCTILE_PUBLIC std::span<const std::int64_t> array_starts(const ArrayState& array);
DUCTILE_PUBLIC void set_row_lengths(ArrayState& array, std::span<const std::int64_t> lengths);

}  // namespace detail

/// A rank's part of a distributed array: its elements one after the other, in rising order of their
/// global index. What is said of the part is void after `Resized::resized`.
class DUCTILE_PUBLIC Part {
  public:
    /// Global index of the part's first element; global_size() of an empty one.
    [[nodiscard]] std::int64_t offset() const;
    /// Elements in the part.
    [[nodiscard]] std::int64_t count() const;
    /// Elements of the whole array.
    [[nodiscard]] std::int64_t global_size() const;
    /// The part's elements by their global index: rising, no two ranges next to each other.
    [[nodiscard]] std::vector<Range> ranges() const;
    /// The rank that holds an element. Throws InputError when there is no such element.
    [[nodiscard]] int owner(std::int64_t element) const;
    /// Where this rank keeps an element, counted in elements. Throws InputError when it is another
    /// rank's.
    [[nodiscard]] std::int64_t to_local(std::int64_t element) const;
    /// The global index of an element of this part. Throws InputError when it has no such element.
    [[nodiscard]] std::int64_t to_global(std::int64_t local) const;
    [[nodiscard]] const std::string& name() const { return registration_.name(); }
    /// The program does not write to this array any more, on any rank, as long as it is registered.
    /// Then its elements may move while the program computes (`ductile run --join background`), and
    /// another thread asks its rule meanwhile. All ranks freeze the same arrays before the same
    /// resize point - else resizes are called off until they have -; in an added process it has
    /// arrived frozen. Rows keep their lengths. With `--verify` a resize at which
    /// it has changed since is called off. Local.
    void freeze() const { registration_.freeze(); }
    /// Of each element only what one element of `type` consists of moves at a resize; the rest of
    /// it is not defined afterwards. The type is an MPI datatype whose extent is the size of an
    /// element, a derived one say; it may be freed afterwards. All ranks say the same before the
    /// same resize point; in an added process it is known. Not of rows. Throws InputError when the
    /// type is larger or smaller than an element or has more than 4,096 pieces. Local.
    void move_only(MPI_Datatype type) const { registration_.move_only(type); }

  protected:
    Part(detail::Registration registration, std::shared_ptr<detail::ArrayState> array)
        : registration_(std::move(registration)), array_(std::move(array)) {}
    [[nodiscard]] detail::ArrayState& array() const { return *array_; }

  private:
    detail::Registration registration_;
    std::shared_ptr<detail::ArrayState> array_;
};

}  // namespace ductile
