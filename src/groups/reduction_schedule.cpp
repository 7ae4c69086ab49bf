#include "groups/reduction_schedule.hpp"

#include <algorithm>

namespace ductile::groups {

using Kind = ReductionStep::Kind;

std::optional<ReductionStep> ReductionSchedule::next() {
    if (can_add_up()) {
        parts_[slot(added_)] = 0;
        return ReductionStep{Kind::add_up, added_++};
    }
    if (can_send_up()) return ReductionStep{Kind::send_up, up_.begin()};
    if (auto part = next_part()) return part;
    if (can_receive_result()) return ReductionStep{Kind::receive_result, result_.begin()};
    return next_down();
}

// The sum that is `window` segments earlier may still be on its way to the parent. It may use the
// same memory.
bool ReductionSchedule::can_add_up() const {
    if (added_ == segments_) return false;
    if (role_.children > 0 && (added_ == asked_ || parts_[slot(added_)] < role_.children))
        return false;
    return !role_.has_parent || (added_ == up_.begun() && up_.has_room());
}

bool ReductionSchedule::can_send_up() const {
    return role_.has_parent && up_.begun() < added_ && up_.has_room();
}

std::optional<ReductionStep> ReductionSchedule::next_part() {
    if (role_.children == 0 || asked_ == std::min(added_ + window, segments_)) return std::nullopt;
    const ReductionStep part{Kind::receive_part, asked_, asked_of_};
    if (++asked_of_ == role_.children) {
        asked_of_ = 0;
        ++asked_;
    }
    return part;
}

// The result overwrites the sum that was sent up. So the send must be complete. No result is
// received before the last segment is on its way up.
bool ReductionSchedule::can_receive_result() const {
    return role_.has_parent && role_.comes_down && up_.begun() == segments_ &&
           result_.begun() < up_.ended() && result_.has_room();
}

std::int64_t ReductionSchedule::results() const {
    return role_.has_parent ? result_.ended() : added_;
}

std::optional<ReductionStep> ReductionSchedule::next_down() {
    if (!role_.comes_down) return std::nullopt;
    for (std::size_t child = 0; child < role_.children; ++child)
        if (auto& down = down_[child]; down.begun() < results() && down.has_room())
            return ReductionStep{Kind::pass_down, down.begin(), child};
    return std::nullopt;
}

bool ReductionSchedule::has_begun_all() const {
    if (role_.has_parent && up_.begun() < segments_) return false;
    if (!role_.comes_down) return role_.has_parent || added_ == segments_;
    return results() == segments_ && std::ranges::all_of(down_, [this](const auto& down) {
               return down.begun() == segments_;
           });
}

std::size_t ReductionSchedule::place_of(const ReductionStep& step) const {
    const auto first_of = [&](std::size_t channel) {
        return window * channel + slot(step.segment);
    };
    switch (step.kind) {
        case Kind::receive_part:
            return first_of(step.child);
        case Kind::send_up:
            return first_of(role_.children);
        case Kind::receive_result:
            return first_of(role_.children + 1);
        default:
            return first_of(role_.children + 2 + step.child);
    }
}

void ReductionSchedule::completed(std::size_t place) {
    const auto channel = place / window, in_slot = place % window;
    if (channel < role_.children)
        ++parts_[in_slot];
    else if (channel == role_.children)
        up_.end(in_slot);
    else if (channel == role_.children + 1)
        result_.end(in_slot);
    else
        down_[channel - role_.children - 2].end(in_slot);
}

}  // namespace ductile::groups
