#include "shrink/core_a_rank.hpp"

#include <gtest/gtest.h>

namespace ductile::bench::core_a_rank_test {
namespace {

const TwoRanks measured{{0.5, 0.4, 0.04, 0.01}, 0.0625, 0.25};

TEST(CoreARank, TwoRanksAreWhatWasMeasured) {
    const auto parts = with_a_core_a_rank(measured, 2, 1);
    EXPECT_EQ(parts.agreement_s, 0.4);
    EXPECT_EQ(parts.split_s, 0.04);
    EXPECT_DOUBLE_EQ(parts.all_s(), 0.95);
}

TEST(CoreARank, EachDoublingIsARoundMore) {
    EXPECT_DOUBLE_EQ(with_a_core_a_rank(measured, 4, 1).agreement_s, 0.4625);
    EXPECT_DOUBLE_EQ(with_a_core_a_rank(measured, 5, 1).agreement_s, 0.525);
    EXPECT_DOUBLE_EQ(with_a_core_a_rank(measured, 16, 4).agreement_s, 0.5875);
    EXPECT_DOUBLE_EQ(with_a_core_a_rank(measured, 8, 2).split_s, 0.25);
    EXPECT_DOUBLE_EQ(with_a_core_a_rank(measured, 16, 4).split_s, 0.5);
    EXPECT_EQ(with_a_core_a_rank(measured, 16, 4).word_s, 0.5);
    EXPECT_EQ(with_a_core_a_rank(measured, 16, 4).handing_over_s, 0.01);
}

}  // namespace
}  // namespace ductile::bench::core_a_rank_test
