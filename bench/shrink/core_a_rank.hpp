// Estimates the cost of a shrink if each rank had a core of its own, from measurements of two ranks
// on two cores. Pure.
#pragma once

namespace ductile::bench {

/// The parts of the time that a program loses at a shrink whose leavers end (TS), in their order.
struct ShrinkParts {
    double word_s = 0;          ///< until all ranks know the point
    double agreement_s = 0;     ///< the vote
    double split_s = 0;         ///< making the communicators of the ranks that stay
    double handing_over_s = 0;  ///< passing on the new layout
    [[nodiscard]] double all_s() const { return word_s + agreement_s + split_s + handing_over_s; }
};

/// Measured where two ranks have a core each.
struct TwoRanks {
    ShrinkParts shrink;  ///< 2 -> 1
    double round_s = 0;  ///< one more round of an agreement: an allreduce over two hosts
    double split_s = 0;  ///< making the communicators of two ranks that stay, on one host
};

/// The estimate for `ranks` ranks with a core each, of which `staying` ranks stay, on one host. An
/// agreement takes ceil(log2 n) rounds, and so does making a communicator. The other parts are
/// assumed to take as long as with two ranks, because each host has an agent of its own, which
/// wakes its ranks.
/// Precondition: 2 <= ranks, 1 <= staying < ranks.
ShrinkParts with_a_core_a_rank(const TwoRanks& measured, int ranks, int staying);

}  // namespace ductile::bench
