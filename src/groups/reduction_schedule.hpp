// What one process does in a reduction, and when. No MPI and no memory here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "groups/segment_window.hpp"

namespace ductile::groups {

/// Where a process stands in a reduction.
struct ReductionRole {
    std::size_t children = 0;
    bool has_parent = false;
    bool comes_down = false;  ///< all members get the result, not the root alone
};

struct ReductionStep {
    enum class Kind {
        receive_part,    ///< from a child
        add_up,          ///< the parts of all children and the process's own
        send_up,         ///< to the parent
        receive_result,  ///< from the parent
        pass_down,       ///< the result, to a child
    };
    Kind kind;
    std::int64_t segment = 0;
    std::size_t child = 0;
    bool operator==(const ReductionStep&) const = default;
};

/// Segments go up the tree in order, and the result comes down behind them. At most `window`
/// segments are under way to or from each neighbour.
///
/// Each message has a place, which is free when the message a window before it is complete. The
/// places are those from each child, to the parent, from the parent and to each child, a window of
/// each.
class ReductionSchedule {
  public:
    ReductionSchedule(const ReductionRole& role, std::int64_t segments)
        : role_(role), segments_(segments), down_(role.children) {}

    static std::size_t places(std::size_t children) { return window * (2 * children + 2); }

    /// What can be done now. The caller does it: for the schedule it is done, or under way.
    std::optional<ReductionStep> next();
    /// The message in this place is complete.
    void completed(std::size_t place);
    /// Nothing is left to begin.
    [[nodiscard]] bool has_begun_all() const;

    /// Of a step that is a message.
    [[nodiscard]] std::size_t place_of(const ReductionStep& step) const;

  private:
    [[nodiscard]] bool can_add_up() const;
    [[nodiscard]] bool can_send_up() const;
    [[nodiscard]] bool can_receive_result() const;
    /// Segments of the result that are here.
    [[nodiscard]] std::int64_t results() const;
    std::optional<ReductionStep> next_part();
    std::optional<ReductionStep> next_down();

    const ReductionRole role_;
    const std::int64_t segments_;
    std::int64_t asked_ = 0;    // segments whose parts are asked for, of all children
    std::size_t asked_of_ = 0;  // children that are asked for the next one
    std::array<std::size_t, window> parts_{};  // that are here, of each segment
    std::int64_t added_ = 0;
    SegmentWindow up_;
    SegmentWindow result_;
    std::vector<SegmentWindow> down_;  // to each child
};

}  // namespace ductile::groups
