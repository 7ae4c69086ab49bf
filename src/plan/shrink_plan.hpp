// Which ranks leave when a job shrinks, and which park.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"
#include "core/layout.hpp"
#include "plan/methods.hpp"

namespace ductile::plan {

/// parallel-spawning-strategies, section 4.6. (SS, by respawning, is the method `baseline`.)
enum class ShrinkKind {
    ts,   ///< ranks end; a host whose last rank has ended is free
    park  ///< ranks park (ZS); those on hosts without an active rank afterwards end
};
inline constexpr std::array all_shrink_kinds{ShrinkKind::ts, ShrinkKind::park};
std::string_view to_string(ShrinkKind kind);
std::optional<ShrinkKind> shrink_kind_named(std::string_view name);

/// What remains; those that stay keep their order.
struct ShrinkPlan {
    core::Layout after;
    bool operator==(const ShrinkPlan&) const = default;
};

/// Why a job cannot shrink as asked: one sentence.
struct ShrinkRefusal {
    std::string reason;
    bool operator==(const ShrinkRefusal&) const = default;
};

/// Shrinks the job to `target` ranks: the last ranks go, so no rank that stays changes; or, with
/// `interleave`, those that a growth from `target` would have put between the others
/// (plan/spread.hpp). Refuses a target below 1 or not under the present size.
///
/// Example: ranks 0-1 on host 0, 2-3 on host 1, to 1: ranks 1 to 3 end, and host 1 is free. With
/// `park` rank 1 parks, 2 and 3 end.
std::variant<ShrinkPlan, ShrinkRefusal> plan_shrink(const core::Layout& now, int target,
                                                    ShrinkKind kind = ShrinkKind::ts,
                                                    RankOrder order = RankOrder::append);

/// Ranks to be given back on a host.
struct Release {
    core::HostIndex host;
    std::optional<int> ranks = std::nullopt;  ///< the highest ones there; nothing: all
    bool operator==(const Release&) const = default;
};

/// Gives ranks on hosts back. Refuses when no host is named, when a host has not so many ranks of
/// the job, or when nothing would remain. A host that is named twice counts by the larger number.
std::variant<ShrinkPlan, ShrinkRefusal> plan_release(const core::Layout& now,
                                                     const std::vector<Release>& released,
                                                     const core::Allocation& allocation,
                                                     ShrinkKind kind = ShrinkKind::ts);

}  // namespace ductile::plan
