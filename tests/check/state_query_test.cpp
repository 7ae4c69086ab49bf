#include "check/state_query.hpp"

#include <gtest/gtest.h>

namespace ductile::check::state_query_test {
namespace {

RankState of(int rank) {
    RankState state;
    state.rank = rank;
    return state;
}

TEST(StateQuery, IsThereOnceAllHaveAnswered) {
    StateQuery query(10);
    EXPECT_FALSE(query.take(2, 0));
    EXPECT_TRUE(query.on_report(of(1), 0));
    query.on_answer(of(1));
    query.on_answer(of(1));
    EXPECT_FALSE(query.take(2, 0.1));
    query.on_answer(of(0));
    const auto result = query.take(2, 0.2);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->asked.rank, 1);
    EXPECT_EQ(result->states.size(), 2u);
    EXPECT_FALSE(query.take(2, 0.3));
}

TEST(StateQuery, WaitsForNoOneForLong) {
    StateQuery query(10);
    query.on_report(of(1), 0);
    query.on_answer(of(1));
    EXPECT_FALSE(query.take(3, 1.9));
    const auto result = query.take(3, 2);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->states.size(), 1u);
}

TEST(StateQuery, IsOneForAllThatWait) {
    StateQuery query(10);
    EXPECT_TRUE(query.on_report(of(1), 0));
    EXPECT_FALSE(query.on_report(of(2), 0.1));
    ASSERT_TRUE(query.take(3, 2));
    EXPECT_FALSE(query.on_report(of(0), 2.5));
    EXPECT_TRUE(query.on_report(of(0), 12));
}

TEST(StateQuery, OfAJobThatIsNoMoreIsForgotten) {
    StateQuery query(10);
    query.on_report(of(1), 0);
    query.forget();
    EXPECT_FALSE(query.take(1, 5));
}

}  // namespace
}  // namespace ductile::check::state_query_test
