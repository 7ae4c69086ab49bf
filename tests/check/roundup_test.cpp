#include "check/roundup.hpp"

#include <gtest/gtest.h>

namespace ductile::check::roundup_test {
namespace {

RankState of(int rank) {
    RankState state;
    state.rank = rank;
    return state;
}

TEST(Roundup, IsThereOnceAllHaveAnswered) {
    Roundup roundup(10);
    EXPECT_FALSE(roundup.take(2, 0));
    EXPECT_TRUE(roundup.on_report(of(1), 0));
    roundup.on_answer(of(1));
    roundup.on_answer(of(1));
    EXPECT_FALSE(roundup.take(2, 0.1));
    roundup.on_answer(of(0));
    const auto result = roundup.take(2, 0.2);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->asked.rank, 1);
    EXPECT_EQ(result->states.size(), 2u);
    EXPECT_FALSE(roundup.take(2, 0.3));
}

TEST(Roundup, WaitsForNoOneForLong) {
    Roundup roundup(10);
    roundup.on_report(of(1), 0);
    roundup.on_answer(of(1));
    EXPECT_FALSE(roundup.take(3, 1.9));
    const auto result = roundup.take(3, 2);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->states.size(), 1u);
}

TEST(Roundup, IsOneForAllThatWait) {
    Roundup roundup(10);
    EXPECT_TRUE(roundup.on_report(of(1), 0));
    EXPECT_FALSE(roundup.on_report(of(2), 0.1));
    ASSERT_TRUE(roundup.take(3, 2));
    EXPECT_FALSE(roundup.on_report(of(0), 2.5));
    EXPECT_TRUE(roundup.on_report(of(0), 12));
}

TEST(Roundup, OfAJobThatIsNoMoreIsForgotten) {
    Roundup roundup(10);
    roundup.on_report(of(1), 0);
    roundup.forget();
    EXPECT_FALSE(roundup.take(1, 5));
}

}  // namespace
}  // namespace ductile::check::roundup_test
