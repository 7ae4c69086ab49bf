// How many segments may be under way between two processes at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ductile::groups {

inline constexpr int window = 4;

/// The slot of a segment among `window` slots.
inline std::size_t slot(std::int64_t segment) {
    return static_cast<std::size_t>(segment % window);
}

/// Segments that begin in order and may end out of order. ended() counts the segments before the
/// first one that has not ended.
class SegmentWindow {
  public:
    SegmentWindow() = default;
    /// The first `ended` segments have ended at the start.
    explicit SegmentWindow(std::int64_t ended) : begun_(ended), ended_(ended) {}

    /// Whether one more may begin: the segment `window` before it has ended.
    [[nodiscard]] bool has_room() const { return begun_ - ended_ < window; }
    /// Begins a segment and returns its number.
    std::int64_t begin() { return begun_++; }
    /// The segment in this slot has ended.
    void end(std::size_t in_slot) {
        here_[in_slot] = true;
        for (; ended_ < begun_ && here_[slot(ended_)]; ++ended_) here_[slot(ended_)] = false;
    }

    [[nodiscard]] std::int64_t begun() const { return begun_; }
    /// All segments before this one have ended.
    [[nodiscard]] std::int64_t ended() const { return ended_; }

  private:
    std::int64_t begun_ = 0;
    std::int64_t ended_ = 0;
    std::array<bool, window> here_{};
};

}  // namespace ductile::groups
