// The resize point at which all ranks stop. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "core/contract.hpp"
#include "core/ids.hpp"

namespace ductile::resize {

/// Collects the answers of all ranks to one Prepare: armed at count c, or finished. A rank that is
/// armed at c stops at point c + 1 until it is told more. So P = max(c) + 1 is a point that all
/// ranks can reach and that no rank has passed.
class PointAgreement {
  public:
    PointAgreement() = default;  ///< filled by fields()
    explicit PointAgreement(int ranks) : ranks_(ranks) {}

    void answer(core::GroupId group, core::Rank rank, std::int64_t count, bool finished) {
        answered_.insert({group, rank});
        highest_ = std::max(highest_, count);
        finished_ = finished_ || finished;
    }
    [[nodiscard]] bool complete() const { return static_cast<int>(answered_.size()) == ranks_; }
    /// The point to announce. Returns nullopt if a rank has finished, because it enters no more
    /// points. Precondition: complete.
    [[nodiscard]] std::optional<std::int64_t> point() const {
        DUCTILE_EXPECT(complete());
        if (finished_) return std::nullopt;
        return highest_ + 1;
    }

    bool operator==(const PointAgreement&) const = default;
    template <class V>
    void fields(V& v) {
        v("ranks", ranks_), v("answered", answered_), v("highest", highest_);
        v("finished", finished_);
    }

  private:
    int ranks_ = 0;
    std::set<std::pair<core::GroupId, core::Rank>> answered_;
    std::int64_t highest_ = 0;
    bool finished_ = false;
};

}  // namespace ductile::resize
