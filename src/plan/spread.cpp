#include "plan/spread.hpp"

#include <algorithm>
#include <cstdint>

#include "core/contract.hpp"

namespace ductile::plan {

namespace {

/// The common part of the blocks of rank `rank` of `few` and place `place` of `many`, in units of 1
/// / (few * many).
std::int64_t in_common(std::int64_t rank, std::int64_t place, std::int64_t few, std::int64_t many) {
    const auto begin = std::max(rank * many, place * few);
    const auto end = std::min((rank + 1) * many, (place + 1) * few);
    return std::max(end - begin, std::int64_t{0});
}

}  // namespace

std::vector<core::Rank> spread(int few, int many) {
    DUCTILE_EXPECT(1 <= few && few <= many);
    std::vector<core::Rank> places;
    for (std::int64_t rank = 0; rank < few; ++rank) {
        // The rank's block begins inside the block of place `below`, or together with it.
        const auto below = rank * many / few;
        const bool is_taken = !places.empty() && places.back().value >= below;
        const bool is_next_better =
            rank > 0 && in_common(rank, below + 1, few, many) > in_common(rank, below, few, many);
        const auto place = is_taken || is_next_better ? below + 1 : below;
        places.emplace_back(static_cast<int>(place));
    }
    return places;
}

}  // namespace ductile::plan
