// What somebody asks of a job's size, and how it is to be done. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/size_range.hpp"
#include "plan/methods.hpp"
#include "plan/shrink_plan.hpp"

namespace ductile::broker {

enum class SizeUnit { ranks, hosts };

/// Of a range the largest size that can be reached (size_in_range.hpp).
struct NewSize {
    core::SizeRange range;
    SizeUnit unit = SizeUnit::ranks;
    bool operator==(const NewSize&) const = default;
};

/// "node02", or "node02:2".
struct HostShare {
    std::string host;
    std::optional<int> ranks = std::nullopt;  ///< nothing: all
    bool operator==(const HostShare&) const = default;
};

/// The job gives ranks on these hosts back: all, or so many with their slots, which then count as
/// taken. Its size is what remains.
struct GiveBack {
    std::vector<HostShare> hosts;
    bool operator==(const GiveBack&) const = default;
};

/// Fresh processes at the same size.
struct Renewal {
    bool operator==(const Renewal&) const = default;
};

/// The method that the job has.
struct MethodOfJob {
    bool operator==(const MethodOfJob&) const = default;
};
/// The way that costs least, but for what the request names.
struct CheapestWay {
    bool operator==(const CheapestWay&) const = default;
};
using MethodWish = std::variant<MethodOfJob, CheapestWay, plan::Method>;

struct ResizeRequest {
    std::variant<NewSize, GiveBack, Renewal> goal;
    std::vector<HostShare> reclaim;  ///< hosts whose slots were given back, and are free again
    bool wait = false;
    bool dry_run = false;
    bool replace = false;  ///< take the place of a resize that is pending; otherwise wait for it
    MethodWish method;
    std::optional<plan::Start> start;              ///< nothing: as the job has it
    std::optional<plan::Overlap> overlap;          ///< likewise
    std::optional<plan::Joining> joining;          ///< likewise
    std::optional<plan::Executor> redistribution;  ///< likewise
    std::optional<plan::Memory> memory;            ///< likewise
    std::optional<plan::ShrinkKind> shrink;        ///< likewise
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

/// One of several sizes is asked for.
[[nodiscard]] inline bool is_range(const ResizeRequest& request) {
    return request.size() != nullptr && !request.size()->range.is_one();
}

}  // namespace ductile::broker
