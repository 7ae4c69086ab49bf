#include "tree/shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tree/rank_hash.hpp"
#include "tree/tree_position.hpp"

namespace ductile::tree::shape_test {
namespace {

TEST(Shape, FollowsEquations1To3) {
    struct Row {
        int rank, size, k, children, parent;
    };
    for (const auto& row : std::initializer_list<Row>{{0, 1, 2, 0, 0},
                                                      {0, 6, 3, 3, 0},
                                                      {1, 6, 3, 2, 0},
                                                      {2, 6, 3, 0, 0},
                                                      {5, 6, 3, 0, 1},
                                                      {4, 14, 3, 1, 1},
                                                      {3, 14, 4, 1, 0}}) {
        EXPECT_EQ(child_count(row.rank, row.size, row.k), row.children);
        EXPECT_EQ(parent_rank(row.rank, row.k), row.parent);
    }
    EXPECT_EQ(child_rank(4, 0, 3), 13);
    EXPECT_EQ(child_rank(2'000'000'000, 2, 3), 6'000'000'003);
}

TEST(Shape, ParentsAndChildrenAgree) {
    for (int k = 2; k <= 7; ++k) {
        for (int size = 1; size <= 200; ++size) {
            int children = 0;
            for (int rank = 0; rank < size; ++rank) {
                for (int i = 0; i < child_count(rank, size, k); ++i) {
                    const auto child = static_cast<int>(child_rank(rank, i, k));
                    EXPECT_LT(child, size);
                    EXPECT_EQ(parent_rank(child, k), rank);
                    EXPECT_EQ(level_of(child, k), level_of(rank, k) + 1);
                    ++children;
                }
            }
            EXPECT_EQ(children, size - 1);
            EXPECT_EQ(height(size, k), level_of(size - 1, k) + 1);
        }
    }
}

TEST(Shape, FollowsEquations4And7) {
    for (int k = 2; k <= 9; ++k) {
        EXPECT_EQ(capacity(0, k), 0);
        EXPECT_EQ(height(0, k), 0);
        for (int h = 1; h <= 6; ++h) {
            EXPECT_EQ(capacity(h, k), (std::lround(std::pow(k, h)) - 1) / (k - 1));
            EXPECT_EQ(height(capacity(h, k), k), h);
            EXPECT_EQ(height(capacity(h, k) + 1, k), h + 1);
        }
    }
    constexpr int most = std::numeric_limits<int>::max();
    EXPECT_EQ(capacity(64, 1024), most);
    EXPECT_EQ(height(most, 2), 31);
}

TEST(Shape, RefusesOddBranching) {
    EXPECT_THROW(require_branching(1), std::invalid_argument);
    EXPECT_THROW(require_branching(-3), std::invalid_argument);
    EXPECT_THROW(require_branching(max_branching + 1), std::invalid_argument);
    EXPECT_NO_THROW(require_branching(2));
}

TEST(RankHash, SendsNoTwoRanksToOneProcess) {
    for (int processes = 1; processes <= 300; ++processes) {
        for (const int shift : {0, 1, -7, 1'000'000}) {
            const RankHash hash{processes, shift};
            std::vector<bool> used(static_cast<std::size_t>(processes));
            for (int rank = 0; rank < processes; ++rank) {
                const auto id = hash(rank).value;
                ASSERT_TRUE(id >= 0 && id < processes);
                ASSERT_FALSE(used[static_cast<std::size_t>(id)]) << processes;
                used[static_cast<std::size_t>(id)] = true;
            }
        }
    }
}

TEST(PositionInJob, IsTheBalancedTreeOfIds) {
    const auto position = position_in_job(ProcessId{4}, 14, 3);
    EXPECT_EQ(
        position,
        (TreePosition{
            ProcessId{4}, 4, 14, 2, 0, Numbering::by_level, ProcessId{1}, {{ProcessId{13}, 13}}}));
    EXPECT_FALSE(position_in_job(ProcessId{0}, 1, 3).parent);
}

}  // namespace
}  // namespace ductile::tree::shape_test
