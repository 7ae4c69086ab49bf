// Which groups leave when a job shrinks, and which ranks park.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/layout.hpp"

namespace ductile::plan {

/// Whole groups end (TS, which frees their hosts), or ranks park (ZS):
/// parallel-spawning-strategies, section 4.6. (SS, by respawning, is the method `baseline`.)
enum class ShrinkKind {
    automatic,  ///< whole groups if any choice of them does it, else as `zs`
    ts,         ///< whole groups only
    zs          ///< the last ranks: groups of which all would park end, the rest parks
};
inline constexpr std::array all_shrink_kinds{ShrinkKind::ts, ShrinkKind::zs};
std::string_view to_string(ShrinkKind kind);
std::optional<ShrinkKind> shrink_kind_named(std::string_view name);

/// The groups that leave, in the order of their ranks, and what remains; those that stay keep their
/// order.
struct ShrinkPlan {
    std::vector<core::GroupId> leaving;
    int parking = 0;  ///< the last ranks of the last group that stays
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

/// Shrinks the job to `target` ranks. By whole groups: of the possible choices the one that keeps
/// the oldest: the last group in rank order leaves if any choice allows it, then the one before it,
/// and so on. By parking: the last ranks go. Refuses a target below 1 or not under the present
/// size, with `ts` one that would split a group, otherwise one that would split a group that spans
/// hosts. Time: groups x ranks / 64 word operations at most, after division by the greatest common
/// divisor of the groups' sizes; memory 4 bytes a rank. Throws std::invalid_argument for a group of
/// fewer than 1 rank.
///
/// Example: groups of 2, 3, 2 and 4 ranks. To 7: the group of 4 leaves. To 6: those of 3 and of 2
/// (the third) leave, since no choice with the last one leaves 6. To 10: one rank of the last group
/// parks; with `ts` refused, nearest {9, 11}.
std::variant<ShrinkPlan, ShrinkRefusal> plan_shrink(const core::Layout& now, int target,
                                                    ShrinkKind kind = ShrinkKind::automatic);

/// Frees hosts: all groups on them leave. Refuses when no host is named, when a named host holds no
/// group of the job, or when nothing would remain; `nearest` is then empty. Naming a host twice
/// does not matter.
std::variant<ShrinkPlan, ShrinkRefusal> plan_release(const core::Layout& now,
                                                     const std::vector<core::HostIndex>& hosts);

}  // namespace ductile::plan
