// Frozen arrays move ahead of the resize point, while the program computes. No MPI here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/frozen_arrays.hpp"
#include "data/mover.hpp"

namespace ductile::data {

/// What this rank gives of its frozen arrays. One whose rule gives no partition is left out: the
/// resize point says so.
std::vector<Outgoing> outgoing_of(const std::vector<FrozenArray>& frozen, const PartCounts& counts);

/// For each array that rank 0 offers: 1 if `mine` has the same one, by the same distributions, and
/// else 0.
std::vector<std::uint8_t> held_alike(const std::vector<Outgoing>& mine,
                                     const std::vector<Outgoing>& offered);

/// Arrays that have moved, the same ones on all ranks.
struct MovedAhead {
    std::vector<Outgoing> arrays;
    std::vector<Block> parts;         ///< of this rank afterwards
    std::vector<std::uint64_t> sums;  ///< of its old parts, where moves are verified
    Moved moved;
};

/// Those of `offered` that all ranks hold alike, as `held` says; on a source, which has its own
/// old parts, from `mine`.
std::vector<Outgoing> chosen_of(const std::vector<Outgoing>& offered,
                                const std::vector<std::uint8_t>& held,
                                const std::vector<Outgoing>& mine);

/// A hash of each old part; 0 of one that the processor cannot read.
std::vector<std::uint64_t> sums_of_parts(const std::vector<Outgoing>& arrays);

/// Why a source cannot use what has moved, if it cannot: an array is not there any more, or is
/// another one, or, where there are sums, has been written to. `now` is outgoing() at the point.
std::optional<std::string> changed_since(const MovedAhead& ahead, const std::vector<Outgoing>& now);

/// As allocate_parts(), with the parts that have moved already.
std::vector<Block> parts_with(const MovedAhead& ahead, core::Rank me, const Parties& parties,
                              const std::vector<Outgoing>& arrays);

/// What is left to move.
Movement rest_after(const MovedAhead& ahead, Movement all);

}  // namespace ductile::data
