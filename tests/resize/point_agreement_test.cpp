#include "resize/point_agreement.hpp"

#include <gtest/gtest.h>

namespace ductile::resize::point_agreement_test {
namespace {

TEST(PointAgreement, stops_at_the_first_point_that_nobody_has_passed) {
    PointAgreement agreement(3);
    agreement.answer(core::GroupId{0}, core::Rank{0}, 7, false);
    agreement.answer(core::GroupId{0}, core::Rank{1}, 9, false);
    agreement.answer(core::GroupId{0}, core::Rank{1}, 9, false);  // said twice: counts once
    EXPECT_FALSE(agreement.complete());
    agreement.answer(core::GroupId{1}, core::Rank{0}, 8, false);
    ASSERT_TRUE(agreement.complete());
    EXPECT_EQ(agreement.point(), 10);
}

TEST(PointAgreement, a_finished_rank_calls_it_off) {
    PointAgreement agreement(2);
    agreement.answer(core::GroupId{0}, core::Rank{0}, 7, false);
    agreement.answer(core::GroupId{1}, core::Rank{0}, 7, true);
    ASSERT_TRUE(agreement.complete());
    EXPECT_FALSE(agreement.point());
}

}  // namespace
}  // namespace ductile::resize::point_agreement_test
