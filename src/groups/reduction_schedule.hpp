// The steps of one process in a reduction, and their order. No MPI and no memory here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "groups/segment_window.hpp"

namespace ductile::groups {

/// The role of a process in a reduction.
struct ReductionRole {
    std::size_t children = 0;
    bool has_parent = false;
    bool comes_down = false;  ///< all members get the result, not only the root
};

struct ReductionStep {
    enum class Kind {
        receive_part,    ///< from a child
        add_up,          ///< the parts of all children and of this process
        send_up,         ///< to the parent
        receive_result,  ///< from the parent
        pass_down,       ///< sends the result to a child
    };
    Kind kind;
    std::int64_t segment = 0;
    std::size_t child = 0;
    bool operator==(const ReductionStep&) const = default;
};

/// Segments go up the tree in order, and the results follow down. At most `window` segments are
/// under way to or from each neighbour.
///
/// Each message has a place. The place becomes free when its message is complete, and the message
/// `window` segments later uses it. There are `window` places for each channel: from each child, to
/// the parent, from the parent, and to each child.
class ReductionSchedule {
  public:
    ReductionSchedule(const ReductionRole& role, std::int64_t segments)
        : role_(role), segments_(segments), down_(role.children) {}

    static std::size_t places(std::size_t children) { return window * (2 * children + 2); }

    /// The next step that is possible now. The caller carries it out. The schedule counts it as
    /// done, or under way.
    std::optional<ReductionStep> next();
    /// The message in this place is complete.
    void completed(std::size_t place);
    /// Nothing is left to begin.
    [[nodiscard]] bool has_begun_all() const;

    /// The place of a step. The step must be a message.
    [[nodiscard]] std::size_t place_of(const ReductionStep& step) const;

  private:
    [[nodiscard]] bool can_add_up() const;
    [[nodiscard]] bool can_send_up() const;
    [[nodiscard]] bool can_receive_result() const;
    /// How many segments of the result are here.
    [[nodiscard]] std::int64_t results() const;
    std::optional<ReductionStep> next_part();
    std::optional<ReductionStep> next_down();

    const ReductionRole role_;
    const std::int64_t segments_;
    std::int64_t asked_ = 0;    // segments whose parts are requested, from all children
    std::size_t asked_of_ = 0;  // children whose part of the next segment is requested
    std::array<std::size_t, window> parts_{};  // received parts, for each segment
    std::int64_t added_ = 0;
    SegmentWindow up_;
    SegmentWindow result_;
    std::vector<SegmentWindow> down_;  // for each child
};

}  // namespace ductile::groups
