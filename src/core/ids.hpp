// Strong types for ids and ranks, so that nobody passes a group where a host is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace ductile::core {

/// An integer with one meaning. It is comparable and hashable. Calculate with `value`.
template <class Tag, class Number = int>
struct Id {
    Number value{};

    constexpr Id() = default;
    constexpr explicit Id(Number v) : value(v) {}
    constexpr auto operator<=>(const Id&) const = default;
};

/// A group of a job. Ids count up over the job's life and are never reused.
using GroupId = Id<struct GroupTag>;
/// Position of a host in the job's list of known hosts. A host keeps its index when it leaves and
/// comes back.
using HostIndex = Id<struct HostTag>;
/// Rank in a communicator of the job.
using Rank = Id<struct RankTag>;
/// A resize, from its acceptance to its end. Ids count up over the job's life.
using TransactionId = Id<struct TransactionTag>;
/// A start of an agent. Generations count up over the job's life. The broker refuses an agent of an
/// earlier generation.
using Generation = Id<struct GenerationTag>;

}  // namespace ductile::core

template <class Tag, class Number>
struct std::hash<ductile::core::Id<Tag, Number>> {
    std::size_t operator()(const ductile::core::Id<Tag, Number>& id) const noexcept {
        return std::hash<Number>{}(id.value);
    }
};
