#include "shrink/core_a_rank.hpp"

#include <bit>

namespace ductile::bench {

namespace {

int rounds(int ranks) {
    return std::bit_width(static_cast<unsigned>(ranks - 1));
}

}  // namespace

ShrinkParts with_a_core_a_rank(const TwoRanks& measured, int ranks, int staying) {
    auto parts = measured.shrink;
    parts.agreement_s += (rounds(ranks) - 1) * measured.round_s;
    if (staying > 1) parts.split_s = rounds(staying) * measured.split_s;
    return parts;
}

}  // namespace ductile::bench
