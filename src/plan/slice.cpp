#include "plan/slice.hpp"

#include <algorithm>

#include "core/contract.hpp"

namespace ductile::plan {

namespace {

/// How many of these bytes are in the slices before this one. Avoids a product that overflows.
std::int64_t before(std::int64_t bytes, std::int64_t index, std::int64_t of) {
    return bytes / of * index + bytes % of * index / of;
}

}  // namespace

void SliceCutter::announce(core::Rank source, core::Rank target, std::int64_t bytes) {
    streams_[{source, target}].all += bytes;
}

Range SliceCutter::cut(core::Rank source, core::Rank target, std::int64_t bytes) {
    DUCTILE_EXPECT(0 <= slice_.index && slice_.index < slice_.of);
    auto& [all, seen] = streams_[{source, target}];
    const auto place = std::exchange(seen, seen + bytes);
    const auto begin = before(all, slice_.index, slice_.of) - place;
    const auto end = before(all, slice_.index + 1, slice_.of) - place;
    const auto from = std::clamp(begin, std::int64_t{0}, bytes);
    return {from, std::clamp(end, from, bytes)};
}

}  // namespace ductile::plan
