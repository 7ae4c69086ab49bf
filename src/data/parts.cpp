#include "data/parts.hpp"

#include <algorithm>
#include <utility>

namespace ductile::data {

namespace {

int part_of(const std::vector<core::Rank>& ranks, core::Rank rank) {
    const auto found = std::ranges::find(ranks, rank);
    return found != ranks.end() ? static_cast<int>(found - ranks.begin()) : -1;
}

}  // namespace

std::vector<Block> allocate_parts(core::Rank me, const Parties& parties,
                                  const std::vector<Outgoing>& arrays) {
    const int part = part_of(parties.targets, me);
    std::vector<Block> parts(arrays.size());
    if (part < 0) return parts;
    for (std::size_t i = 0; i < arrays.size(); ++i)
        parts[i] = make_block(arrays[i].spec, arrays[i].after, part, arrays[i].home);
    return parts;
}

}  // namespace ductile::data
