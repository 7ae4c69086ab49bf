// A request to resize a job, and how the resize must be done. Pure.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/host_share.hpp"
#include "core/size_range.hpp"
#include "plan/methods.hpp"
#include "plan/shrink_plan.hpp"

namespace ductile::broker {

enum class SizeUnit { ranks, hosts };

/// A range means the largest size of it that can be reached (size_in_range.hpp).
struct NewSize {
    core::SizeRange range;
    SizeUnit unit = SizeUnit::ranks;
    bool operator==(const NewSize&) const = default;
};

/// The job gives up its ranks on these hosts: all, or a number of ranks with their slots. These
/// slots then count as used. The new size of the job is what remains.
struct GiveBack {
    std::vector<core::HostShare> hosts;
    bool operator==(const GiveBack&) const = default;
};

/// Fresh processes at the same size.
struct Renewal {
    bool operator==(const Renewal&) const = default;
};

/// The method of the job.
struct MethodOfJob {
    bool operator==(const MethodOfJob&) const = default;
};
/// The cheapest strategy. What the request names is fixed.
struct CheapestStrategy {
    bool operator==(const CheapestStrategy&) const = default;
};
using MethodWish = std::variant<MethodOfJob, CheapestStrategy, plan::Method>;

struct ResizeRequest {
    std::variant<NewSize, GiveBack, Renewal> goal;
    std::vector<core::HostShare>
        reclaim;  ///< slots that were given back, and that the job may use again
    bool wait = false;
    bool dry_run = false;
    bool replace = false;  ///< replaces a pending resize; if false, waits for its end
    MethodWish method;
    std::optional<plan::Start> start;              ///< none: as the job has it
    std::optional<plan::Overlap> overlap;          ///< none: as the job has it
    std::optional<plan::Joining> joining;          ///< none: as the job has it
    std::optional<plan::Executor> redistribution;  ///< none: as the job has it
    std::optional<plan::Memory> memory;            ///< none: as the job has it
    std::optional<plan::ShrinkKind> shrink;        ///< none: ts
    double switch_within_s = 0;                    ///< 0: no limit
    bool operator==(const ResizeRequest&) const = default;

    [[nodiscard]] const NewSize* size() const { return std::get_if<NewSize>(&goal); }
    [[nodiscard]] const GiveBack* release() const { return std::get_if<GiveBack>(&goal); }
    [[nodiscard]] bool renews() const { return std::holds_alternative<Renewal>(goal); }
    [[nodiscard]] std::optional<plan::Method> named_method() const {
        const auto* named = std::get_if<plan::Method>(&method);
        return named != nullptr ? std::optional(*named) : std::nullopt;
    }
};

/// Whether the request names a range of several sizes.
[[nodiscard]] inline bool is_range(const ResizeRequest& request) {
    return request.size() != nullptr && !request.size()->range.is_one();
}

}  // namespace ductile::broker
