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

/// parallel-spawning-strategies, section 4.6. (A shrink by respawning is the method `baseline`.)
enum class ShrinkKind {
    ts,   ///< ranks end (termination); a host without ranks is free
    park  ///< ranks park (zombies); ranks on hosts without an active rank end
};
inline constexpr std::array all_shrink_kinds{ShrinkKind::ts, ShrinkKind::park};
std::string_view to_string(ShrinkKind kind);
std::optional<ShrinkKind> shrink_kind_named(std::string_view name);

/// The layout after the shrink. The ranks that stay keep their order.
struct ShrinkPlan {
    core::Layout after;
    bool operator==(const ShrinkPlan&) const = default;
};

/// Why a job cannot shrink as requested: one sentence.
struct ShrinkRefusal {
    std::string reason;
    bool operator==(const ShrinkRefusal&) const = default;
};

/// Plans the shrink of a job to `target` ranks. With `append` the last ranks leave, so the other
/// ranks stay the same. With `interleave` those ranks leave that a growth from `target` would have
/// put between the others (plan/spread.hpp). Refuses a target below 1, or not below the present
/// size.
///
/// Example: ranks 0-1 are on host 0, ranks 2-3 on host 1, and the target is 1: ranks 1 to 3 end,
/// and host 1 is free. With `park` rank 1 parks, and ranks 2 and 3 end.
std::variant<ShrinkPlan, ShrinkRefusal> plan_shrink(const core::Layout& now, int target,
                                                    ShrinkKind kind = ShrinkKind::ts,
                                                    RankOrder order = RankOrder::append);

/// Ranks that a host gives back.
struct Release {
    core::HostIndex host;
    std::optional<int> ranks = std::nullopt;  ///< the highest ranks there; nullopt: all
    bool operator==(const Release&) const = default;
};

/// Plans a shrink that gives back ranks on hosts. Refuses if no host is named, if a host has no
/// rank of the job or fewer than it is to give back, or if no rank would remain. If a host is named
/// twice, the larger number counts.
std::variant<ShrinkPlan, ShrinkRefusal> plan_release(const core::Layout& now,
                                                     const std::vector<Release>& released,
                                                     const core::Allocation& allocation,
                                                     ShrinkKind kind = ShrinkKind::ts);

}  // namespace ductile::plan
