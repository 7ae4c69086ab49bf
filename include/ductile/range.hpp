/// \file
/// A range of elements of an array, and the room for ghosts beside a range.
#pragma once

#include <cstdint>

namespace ductile {

/// Elements begin .. end-1 of an array.
struct Range {
    std::int64_t begin = 0;  ///< the first element
    std::int64_t end = 0;    ///< the element after the last one
    /// Elements in the range.
    [[nodiscard]] std::int64_t count() const { return end - begin; }
    /// Whether both ranges have the same begin and the same end.
    bool operator==(const Range&) const = default;
};

/// Room for ghosts beside a part that is one range. Ghosts are copies of the neighbours' elements,
/// which the program fetches. The numbers are in elements, and not negative.
struct Halo {
    std::int64_t before = 0;  ///< in front of the part's first element
    std::int64_t after = 0;   ///< behind the part's last element
    /// Whether both have the same room.
    bool operator==(const Halo&) const = default;
};

}  // namespace ductile
