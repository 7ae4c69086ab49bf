// Strong types for ids and ranks, so that a group is never passed where a host is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace ductile::core {

/// A whole number that means one thing. Comparable and hashable; arithmetic is done on `value`.
template <class Tag, class Number = int>
struct Id {
    Number value{};

    constexpr Id() = default;
    constexpr explicit Id(Number v) : value(v) {}
    constexpr auto operator<=>(const Id&) const = default;
};

/// A group of a job: counts up over the job's life and is never reused.
using GroupId = Id<struct GroupTag>;
/// Position of a host in the job's list of known hosts; a host keeps its index when it leaves and
/// comes back.
using HostIndex = Id<struct HostTag>;
/// Rank in a communicator of the job.
using Rank = Id<struct RankTag>;
/// A resize, from its acceptance to its end; counts up over the job's life.
using TransactionId = Id<struct TransactionTag>;
/// A start of an agent; an agent of an earlier generation is refused. Counts up over the job's
/// life.
using Generation = Id<struct GenerationTag>;

}  // namespace ductile::core

template <class Tag, class Number>
struct std::hash<ductile::core::Id<Tag, Number>> {
    std::size_t operator()(const ductile::core::Id<Tag, Number>& id) const noexcept {
        return std::hash<Number>{}(id.value);
    }
};
