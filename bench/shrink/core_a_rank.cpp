#include "shrink/core_a_rank.hpp"

#include "core/contract.hpp"
#include "plan/cost_model.hpp"

namespace ductile::bench {

ShrinkParts with_a_core_a_rank(const TwoRanks& measured, int ranks, int staying) {
    DUCTILE_EXPECT(ranks >= 2 && staying >= 1 && staying < ranks);
    auto parts = measured.shrink;
    parts.agreement_s += (plan::rounds_among(ranks) - 1) * measured.round_s;
    if (staying > 1) parts.split_s = plan::rounds_among(staying) * measured.split_s;
    return parts;
}

}  // namespace ductile::bench
