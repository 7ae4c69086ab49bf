// Moves frozen arrays ahead of the resize point, while the program computes. No MPI here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/frozen_arrays.hpp"
#include "data/mover.hpp"

namespace ductile::data {

/// What this rank gives of its frozen arrays. An array is left out if its rule gives no partition,
/// or if the rule now gives another partition than the array has: the resize point reports this.
std::vector<Outgoing> outgoing_of(const std::vector<FrozenArray>& frozen, const PartCounts& counts);

/// For each array that rank 0 offers: 1 if `mine` has the same array with the same distributions,
/// else 0.
std::vector<std::uint8_t> held_alike(const std::vector<Outgoing>& mine,
                                     const std::vector<Outgoing>& offered);

/// Arrays that have moved. All ranks have the same list.
struct MovedAhead {
    std::vector<Outgoing> arrays;
    std::vector<Block> parts;         ///< the new parts of this rank
    std::vector<std::uint64_t> sums;  ///< of the old parts of this rank, if moves are verified
    Moved moved;
};

/// The arrays of `offered` that all ranks hold alike, as `held` says. A source takes these arrays
/// from `mine`, which has the old parts of the source.
std::vector<Outgoing> chosen_of(const std::vector<Outgoing>& offered,
                                const std::vector<std::uint8_t>& held,
                                const std::vector<Outgoing>& mine);

/// A hash of each old part.
std::vector<std::uint64_t> sums_of_parts(const std::vector<Outgoing>& arrays);

/// Why a source cannot use the arrays that have moved; nullopt if the source can use them. An array
/// may be gone, may be another one, or, if there are sums, may have changed. `now`: what
/// outgoing() (data/registry.hpp) returns at the point.
std::optional<std::string> changed_since(const MovedAhead& ahead, const std::vector<Outgoing>& now);

/// As allocate_parts(), but uses the parts that have moved already.
std::vector<Block> parts_with(const MovedAhead& ahead, core::Rank me, const Parties& parties,
                              const std::vector<Outgoing>& arrays);

/// The movement without what has moved already.
Movement rest_after(const MovedAhead& ahead, Movement all);

}  // namespace ductile::data
