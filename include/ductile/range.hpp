/// \file
/// A range of the elements of an array.
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

}  // namespace ductile
