#include "broker/local_ranks.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ductile::broker::local_ranks_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

const HostIndex host{0}, other{1};

std::vector<int> numbers(const GroupTable& table, int group, HostIndex on = host) {
    std::vector<int> values;
    for (const auto rank : local_ranks_of(*table.find(GroupId{group}), on))
        values.push_back(rank.value);
    return values;
}

void add(GroupTable& table, const core::Group& group,
         const std::vector<core::RankRange>& replaced = {}) {
    table.add(group);
    allot_local_ranks(group.id, replaced, table);
}

TEST(LocalRanks, TheSmallestThatAreFree) {
    GroupTable table;
    add(table, {GroupId{0}, host, 1});
    add(table, {GroupId{1}, host, 2});
    EXPECT_EQ(numbers(table, 0), std::vector{0});
    EXPECT_EQ(numbers(table, 1), (std::vector{1, 2}));
    table.find({GroupId{1}, Rank{0}})->ended = true;
    add(table, {GroupId{2}, host, 2});
    EXPECT_EQ(numbers(table, 2), (std::vector{1, 3}));
}

TEST(LocalRanks, EachHostHasItsOwn) {
    GroupTable table;
    add(table, {GroupId{0}, host, 3, {{other, 1}}});
    add(table, {GroupId{1}, other, 2, {{host, 1}}});
    EXPECT_EQ(numbers(table, 0), (std::vector{0, 1}));
    EXPECT_EQ(numbers(table, 0, other), std::vector{0});
    EXPECT_EQ(numbers(table, 1, other), std::vector{1});
    EXPECT_EQ(numbers(table, 1), std::vector{2});
}

TEST(LocalRanks, ThoseThatAreReplacedHandTheirsOn) {
    GroupTable table;
    add(table, {GroupId{0}, host, 2});
    add(table, {GroupId{1}, host, 1});  // a child
    add(table, {GroupId{2}, host, 3}, {{GroupId{0}, host, Rank{0}, 2}});
    EXPECT_EQ(numbers(table, 2), (std::vector{0, 1, 3}));
}

// Whatever starts and ends: the living ranks of a host differ, and their numbers are below the most
// that ever lived there at one time.
TEST(LocalRanks, AreDifferentAndSmall) {
    std::mt19937 random(5);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int tries = 0; tries < 300; ++tries) {
        GroupTable table;
        int most = 0;
        for (int group = 0; group < 12; ++group) {
            add(table, {GroupId{group}, host, 1 + below(4)});
            std::set<int> seen;
            int living = 0;
            for (const auto& [id, state] : table.all())
                for (const auto& rank : state.ranks) {
                    if (rank.ended) continue;
                    ++living;
                    EXPECT_TRUE(seen.insert(*rank.local_rank).second);
                }
            most = std::max(most, living);
            EXPECT_LT(*seen.rbegin(), most);
            for (auto& [id, state] : table.all())
                for (auto& rank : state.ranks) rank.ended = rank.ended || below(3) == 0;
        }
    }
}

}  // namespace
}  // namespace ductile::broker::local_ranks_test
