// Block distribution of n elements over the ranks of a job.
#pragma once

#include <cstdint>

#include "core/contract.hpp"

namespace ductile::plan {

/// Elements 0 .. elements-1 in `parts` contiguous parts. Their sizes differ by at most one: the
/// first elements % parts parts hold one element more. If there are more parts than elements, the
/// last parts are empty. Exact up to 2^62 elements. Preconditions: elements >= 0, parts >= 1, 0 <=
/// part < parts.
///
/// Example: 10 elements in 4 parts are [0,3) [3,6) [6,8) [8,10); owner(6) is 2.
struct BlockDistribution {
    std::int64_t elements = 0;
    int parts = 1;

    /// Global index of the part's first element. For part == parts the result is `elements`.
    [[nodiscard]] constexpr std::int64_t begin(int part) const {
        DUCTILE_EXPECT(elements >= 0 && parts >= 1 && 0 <= part && part <= parts);
        const std::int64_t remainder = elements % parts;
        return elements / parts * part + (part < remainder ? part : remainder);
    }
    /// One past the part's last element.
    [[nodiscard]] constexpr std::int64_t end(int part) const { return begin(part + 1); }
    [[nodiscard]] constexpr std::int64_t count(int part) const {
        DUCTILE_EXPECT(elements >= 0 && parts >= 1 && 0 <= part && part < parts);
        return elements / parts + (part < elements % parts ? 1 : 0);
    }
    /// The part that holds a global index. Precondition: 0 <= element < elements.
    [[nodiscard]] constexpr int owner(std::int64_t element) const {
        DUCTILE_EXPECT(0 <= element && element < elements);
        const std::int64_t small = elements / parts;
        const std::int64_t larger_parts = elements % parts;
        const std::int64_t in_larger = larger_parts * (small + 1);
        if (element < in_larger) return static_cast<int>(element / (small + 1));
        return static_cast<int>(larger_parts + (element - in_larger) / small);
    }

    bool operator==(const BlockDistribution&) const = default;
};

}  // namespace ductile::plan
