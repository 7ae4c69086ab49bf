/// \file
/// A range of the elements of an array, and the room beside it.
#pragma once

#include <cstdint>

namespace ductile {

/// Elements begin .. end-1 of an array.
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t count() const { return end - begin; }
    bool operator==(const Range&) const = default;
};

/// Room for ghosts beside a part that is one range: copies of the neighbours' elements, which the
/// program fetches. In elements; not negative.
struct Halo {
    std::int64_t before = 0;  ///< in front of the part's first element
    std::int64_t after = 0;   ///< behind its last one
    bool operator==(const Halo&) const = default;
};

}  // namespace ductile
