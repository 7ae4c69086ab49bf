// Partitions of every kind, for property tests.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "plan/partition.hpp"

namespace ductile::plan {

/// Cuts 0 .. elements at random, and deals the ranges to random parts.
inline Partition some_ranges(std::int64_t elements, int parts) {
    std::vector<std::vector<Range>> by_part(static_cast<std::size_t>(parts));
    for (std::int64_t begin = 0; begin < elements;) {
        const auto end = begin + *rc::gen::inRange<std::int64_t>(1, elements - begin + 1);
        by_part[static_cast<std::size_t>(*rc::gen::inRange(0, parts))].push_back({begin, end});
        begin = end;
    }
    return Partition::listed(elements, by_part);
}

/// A partition of `elements` elements in `parts` parts.
inline Partition some_partition(std::int64_t elements, int parts) {
    switch (*rc::gen::inRange(0, 4)) {
        case 0:
            return BlockDistribution{elements, parts};
        case 1: {
            auto weights = *rc::gen::container<std::vector<std::int64_t>>(
                static_cast<std::size_t>(parts), rc::gen::inRange<std::int64_t>(0, 5));
            ++weights[static_cast<std::size_t>(*rc::gen::inRange(0, parts))];
            return Partition::weighted(elements, weights);
        }
        case 2:
            return Partition::cyclic(elements, parts, *rc::gen::inRange<std::int64_t>(1, 30));
        default:
            return some_ranges(elements, parts);
    }
}

}  // namespace ductile::plan
