// Which pieces of a vector go from old processes to new ones. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ductile/range.hpp"
#include "plan/distribution.hpp"

namespace ductile::dmr {

struct Piece {
    int peer = 0;  ///< the process on the other side
    Range elements;
    bool operator==(const Piece&) const = default;
};

/// The elements that a process (with `mine`) shares with the processes of the other side
/// (`theirs`).
inline std::vector<Piece> shared_pieces(const Range& mine, const std::vector<Range>& theirs) {
    std::vector<Piece> pieces;
    for (std::size_t peer = 0; peer < theirs.size(); ++peer) {
        const Range both{std::max(mine.begin, theirs[peer].begin),
                         std::min(mine.end, theirs[peer].end)};
        if (both.count() > 0) pieces.push_back({static_cast<int>(peer), both});
    }
    return pieces;
}

/// The ranges of processes that hold `counts` elements, one after the other.
inline std::vector<Range> consecutive(const std::vector<std::int64_t>& counts) {
    std::vector<Range> ranges;
    std::int64_t begin = 0;
    for (const auto count : counts) {
        ranges.push_back({begin, begin + count});
        begin += count;
    }
    return ranges;
}

/// Blocks whose sizes differ by one element at most. The larger ones come first.
inline std::vector<Range> blocks(std::int64_t elements, int processes) {
    const plan::BlockDistribution distribution{elements, processes};
    std::vector<Range> ranges;
    for (int process = 0; process < processes; ++process)
        ranges.push_back({distribution.begin(process), distribution.end(process)});
    return ranges;
}

}  // namespace ductile::dmr
