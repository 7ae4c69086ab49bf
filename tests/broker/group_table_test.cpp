#include "broker/group_table.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::group_table_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

TEST(GroupTable, AGroupIsOverWhenAllItsPartsAre) {
    GroupTable table;
    table.add({GroupId{0}, HostIndex{0}, 3, {{HostIndex{2}, 1}}});
    auto& state = *table.find(GroupId{0});
    ASSERT_EQ(state.ranks.size(), 3u);
    EXPECT_TRUE(table.any_on(HostIndex{0}));
    EXPECT_TRUE(table.any_on(HostIndex{2}));
    EXPECT_FALSE(table.any_on(HostIndex{1}));
    state.over_on.insert(HostIndex{2});
    EXPECT_FALSE(table.any_on(HostIndex{2}));
    EXPECT_TRUE(table.any_on(HostIndex{0}));
    EXPECT_FALSE(state.is_over());
    state.over_on.insert(HostIndex{0});
    EXPECT_TRUE(state.is_over());
}

TEST(GroupTable, RanksEndWhereTheyAre) {
    GroupTable table;
    table.add({GroupId{0}, HostIndex{0}, 3, {{HostIndex{2}, 1}}});
    auto& state = *table.find(GroupId{0});
    table.find({GroupId{0}, Rank{2}})->ended = true;
    EXPECT_TRUE(state.all_ended_on(HostIndex{2}));
    EXPECT_FALSE(state.all_ended_on(HostIndex{0}));
    EXPECT_FALSE(state.all_ended());
    EXPECT_EQ(table.find({GroupId{0}, Rank{3}}), nullptr);
    EXPECT_EQ(table.find(GroupId{1}), nullptr);
}

TEST(GroupTable, RanksAreDoneWithTheirJobOrTheirLife) {
    GroupTable table;
    table.add({GroupId{0}, HostIndex{0}, 3});
    const std::vector<core::RankRange> last_two{{GroupId{0}, HostIndex{0}, Rank{1}, 2},
                                                {GroupId{7}, HostIndex{1}, Rank{0}, 1}};
    table.find({GroupId{0}, Rank{1}})->ended = true;
    EXPECT_FALSE(table.are_done(last_two));
    EXPECT_FALSE(table.any_goodbye(last_two));
    table.find({GroupId{0}, Rank{2}})->goodbye = true;
    EXPECT_TRUE(table.are_done(last_two));
    EXPECT_TRUE(table.any_goodbye(last_two));
    EXPECT_FALSE(table.are_done({{GroupId{0}, HostIndex{0}, Rank{0}, 3}}));
}

}  // namespace
}  // namespace ductile::broker::group_table_test
