// Which whole groups leave when a job shrinks (TS: their hosts are then free).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/layout.hpp"

namespace ductile::plan {

/// The groups that leave, in the order of their ranks, and what remains; those that stay keep their
/// order.
struct ShrinkPlan {
    std::vector<core::GroupId> leaving;
    core::Layout after;
    bool operator==(const ShrinkPlan&) const = default;
};

/// Why a job cannot shrink as asked.
struct ShrinkRefusal {
    std::string reason;
    /// Sizes that whole groups allow, the present one among them, nearest to the asked one: the
    /// next below and the next above it, rising; one of them, or both, may be missing.
    std::vector<int> nearest;
    bool operator==(const ShrinkRefusal&) const = default;
};

/// Shrinks the job to `target` ranks by letting whole groups go. Of the possible choices the one
/// that keeps the oldest: the last group in rank order leaves if any choice allows it, then the one
/// before it, and so on. Refuses a target below 1 or not under the present size, and one that would
/// split a group. Time: groups x ranks / 64 word operations at most, after division by the greatest
/// common divisor of the groups' sizes; memory 4 bytes a rank. Throws std::invalid_argument for a
/// group of fewer than 1 rank.
///
/// Example: groups of 2, 3, 2 and 4 ranks. To 7: the group of 4 leaves. To 6: those of 3 and of 2
/// (the third) leave, since no choice with the last one leaves 6. To 10: refused, nearest {9, 11}.
std::variant<ShrinkPlan, ShrinkRefusal> plan_shrink(const core::Layout& now, int target);

/// Frees hosts: all groups on them leave. Refuses when no host is named, when a named host holds no
/// group of the job, or when nothing would remain; `nearest` is then empty. Naming a host twice
/// does not matter.
std::variant<ShrinkPlan, ShrinkRefusal> plan_release(const core::Layout& now,
                                                     const std::vector<core::HostIndex>& hosts);

}  // namespace ductile::plan
