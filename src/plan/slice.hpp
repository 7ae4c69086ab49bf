// Cuts the data to move into slices, which are moved one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/ids.hpp"
#include "ductile/range.hpp"

namespace ductile::plan {

/// Slice number `index` of `of` slices. Precondition of use: 0 <= index < of.
struct Slice {
    int index = 0;
    int of = 1;
    bool operator==(const Slice&) const = default;
};

/// Cuts the data between ranks into slices. For each pair of ranks, each slice has the same share
/// of the data, to a byte. So both ranks of a pair cut at the same byte. Each slice takes the same
/// share from a rank as it brings to the rank.
class SliceCutter {
  public:
    explicit SliceCutter(Slice slice) : slice_(slice) {}
    /// `source` sends `bytes` bytes to `target`. Call this first for all data.
    void announce(core::Rank source, core::Rank target, std::int64_t bytes);
    /// Call this, after all announcements, with the same arguments in the same order. Returns which
    /// of these bytes are in the slice; an empty range if none is.
    [[nodiscard]] Range cut(core::Rank source, core::Rank target, std::int64_t bytes);

  private:
    struct Stream {
        std::int64_t all = 0;
        std::int64_t seen = 0;
    };
    Slice slice_;
    std::map<std::pair<core::Rank, core::Rank>, Stream> streams_;
};

}  // namespace ductile::plan
