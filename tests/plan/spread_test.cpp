#include "plan/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "plan/distribution.hpp"
#include "plan/transfer_plan.hpp"

namespace ductile::plan::spread_test {
namespace {

using core::Rank;
using Ranks = std::vector<Rank>;

std::vector<int> places(int few, int many) {
    std::vector<int> values;
    for (const auto place : spread(few, many)) values.push_back(place.value);
    return values;
}

TEST(Spread, Cases) {
    using V = std::vector<int>;
    EXPECT_EQ(places(1, 5), V{0});
    EXPECT_EQ(places(2, 4), (V{0, 2}));
    EXPECT_EQ(places(3, 3), (V{0, 1, 2}));
    EXPECT_EQ(places(4, 5), (V{0, 1, 3, 4}));
    EXPECT_EQ(places(4, 8), (V{0, 2, 4, 6}));
    EXPECT_EQ(places(2, 5), (V{0, 3}));
}

/// For each rank of the larger job, its rank in a communicator where the new ranks come last.
Ranks order_of(const Ranks& at, int few, int many) {
    Ranks order(static_cast<std::size_t>(many), Rank{-1});
    for (int rank = 0; rank < few; ++rank)
        order[static_cast<std::size_t>(at[static_cast<std::size_t>(rank)].value)] = Rank{rank};
    int next = few;
    for (auto& one : order)
        if (one.value < 0) one = Rank{next++};
    return order;
}

Ranks first(int n) {
    Ranks ranks;
    for (int rank = 0; rank < n; ++rank) ranks.emplace_back(rank);
    return ranks;
}

std::int64_t sent(const TransferPlan& plan) {
    std::int64_t elements = 0;
    for (const auto& transfer : plan.sent) elements += transfer.count;
    return elements;
}

TEST(Spread, NoMoreMovesThanWhenNewRanksAreTheLastOnes) {
    for (int many = 1; many <= 64; ++many)
        for (int few = 1; few <= many; ++few) {
            const std::int64_t elements = std::int64_t{few} * many;
            const BlockDistribution before{elements, few}, after{elements, many};
            const auto at = spread(few, many);
            ASSERT_EQ(at.size(), static_cast<std::size_t>(few));
            ASSERT_EQ(at.front(), Rank{0});
            ASSERT_EQ(std::ranges::adjacent_find(at, std::ranges::greater_equal{}), at.end());
            ASSERT_LT(at.back().value, many);
            const auto order = order_of(at, few, many);
            const auto interleaved = sent(plan_transfer(before, first(few), after, order));
            const auto appended = sent(plan_transfer(before, first(few), after, first(many)));
            ASSERT_LE(interleaved, appended) << few << " -> " << many;
            // When the new ranks leave again, they give back what they got: a shrink sends as much.
            ASSERT_EQ(sent(plan_transfer(after, order, before, first(few))), interleaved);
        }
}

TEST(Spread, ADoublingMovesHalf) {
    for (const int few : {1, 2, 8, 100}) {
        const std::int64_t elements = std::int64_t{1000} * few;
        const BlockDistribution before{elements, few}, after{elements, 2 * few};
        const auto order = order_of(spread(few, 2 * few), few, 2 * few);
        EXPECT_EQ(sent(plan_transfer(before, first(few), after, order)), elements / 2);
    }
    const BlockDistribution before{100'000, 100}, after{100'000, 200};
    EXPECT_GT(sent(plan_transfer(before, first(100), after, first(200))), 98'000);
}

}  // namespace
}  // namespace ductile::plan::spread_test
