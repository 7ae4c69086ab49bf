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

/// The description of an array that a program registers.
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
/// global index. After `Resized::resized` the results of earlier calls are invalid.
class DUCTILE_PUBLIC Part {
  public:
    /// Global index of the part's first element; global_size() if the part is empty.
    [[nodiscard]] std::int64_t offset() const;
    /// Elements in the part.
    [[nodiscard]] std::int64_t count() const;
    /// Elements of the whole array.
    [[nodiscard]] std::int64_t global_size() const;
    /// The global indices of the part's elements: in rising order, adjacent ranges merged.
    [[nodiscard]] std::vector<Range> ranges() const;
    /// The rank that holds an element. Throws InputError when there is no such element.
    [[nodiscard]] int owner(std::int64_t element) const;
    /// The position of an element in this rank's part, in elements. Throws InputError when another
    /// rank holds the element.
    [[nodiscard]] std::int64_t to_local(std::int64_t element) const;
    /// The global index of the element at position `local` of this part. Throws InputError when the
    /// part has no such element.
    [[nodiscard]] std::int64_t to_global(std::int64_t local) const;
    /// The name under which the array is registered.
    [[nodiscard]] const std::string& name() const { return registration_.name(); }
    /// Promises that no rank writes to this array any more, as long as the array is registered. Its
    /// elements may then move while the program computes (`ductile run --join background`), and
    /// another thread calls the functions of its rule. All ranks must freeze the same arrays before
    /// the same resize point; until they have, each resize is rolled back. In an added process the
    /// array arrives frozen. Rows keep their lengths. With `--verify` a resize is rolled back if
    /// the array has changed. Local.
    void freeze() const { registration_.freeze(); }
    /// At a resize, moves only the part of each element that `type` describes. The rest of the
    /// element is undefined afterwards. `type` is an MPI datatype, for example a derived one, whose
    /// extent is the size of an element. It may be freed after this call. All ranks make this call
    /// before the same resize point; an added process need not. Not for rows. Throws InputError
    /// when the extent is not the size of an element, when data lies outside of the element, when
    /// `type` has no data or more than 4,096 pieces, and when an element that moves in part has 1
    /// GiB or more. Local.
    void move_only(MPI_Datatype type) const { registration_.move_only(type); }

  protected:
    /// For the library: the part of an array that the library has made.
    Part(detail::Registration registration, std::shared_ptr<detail::ArrayState> array)
        : registration_(std::move(registration)), array_(std::move(array)) {}
    /// For the library: the array.
    [[nodiscard]] detail::ArrayState& array() const { return *array_; }

  private:
    detail::Registration registration_;
    std::shared_ptr<detail::ArrayState> array_;
};

}  // namespace ductile
