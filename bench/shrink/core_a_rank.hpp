// What a shrink would cost if each rank had a core of its own, by what two ranks on two cores cost.
// Pure.
#pragma once

namespace ductile::bench {

/// What the program loses at a shrink by whole groups (TS), in the order in which it does.
struct ShrinkParts {
    double word_s = 0;          ///< until the point is known to all
    double agreement_s = 0;     ///< the vote
    double split_s = 0;         ///< the communicators of those that stay
    double handing_over_s = 0;  ///< the layout
    [[nodiscard]] double all_s() const { return word_s + agreement_s + split_s + handing_over_s; }
};

/// Measured where two ranks have a core each.
struct TwoRanks {
    ShrinkParts shrink;  ///< 2 -> 1
    double round_s = 0;  ///< one more round of an agreement: an allreduce over two hosts
    double split_s = 0;  ///< the communicators of two that stay, on one host
};

/// The estimate for `ranks`, one a host's core, of which `staying` stay on one host: an agreement
/// takes ceil(log2 n) rounds, and so does making a communicator; the rest is taken for the same as
/// with two ranks (each host has an agent of its own, which wakes its ranks).
/// Precondition: 2 <= ranks, 1 <= staying < ranks.
ShrinkParts with_a_core_a_rank(const TwoRanks& measured, int ranks, int staying);

}  // namespace ductile::bench
