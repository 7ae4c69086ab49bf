// What moves, in pieces that are carried out one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/ids.hpp"
#include "ductile/range.hpp"

namespace ductile::plan {

/// Piece `index` of `of`. Precondition of use: 0 <= index < of.
struct Slice {
    int index = 0;
    int of = 1;
    bool operator==(const Slice&) const = default;
};

/// Cuts what goes from ranks to ranks into slices, each with the same share, to a byte, of what
/// goes from one rank to another one. So both ranks of a pair cut at the same byte, and each slice
/// takes from a rank and brings to it in the same measure.
class SliceCutter {
  public:
    explicit SliceCutter(Slice slice) : slice_(slice) {}
    /// Of all that is cut: so many bytes go from `source` to `target`.
    void announce(core::Rank source, core::Rank target, std::int64_t bytes);
    /// The same, in the same order, when all is announced: which of these bytes are in the slice;
    /// an empty range where none is.
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
