#include "broker/child_spawns.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::child_spawns_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

TEST(ChildSpawns, AWishIsWhatTheRankHasAskedFor) {
    wire::SpawnAsked asked;
    asked.commands = {{2, {"child", "one"}, {{"wdir", "/"}, {"host", "node1"}}},
                      {1, {"other"}, {}}};
    const plan::SpawnWish expected{
        {{2, {"child", "one"}, {{"wdir", "/"}, {"host", "node1"}}}, {1, {"other"}, {}}}};
    EXPECT_EQ(wish_of(asked), expected);
}

TEST(ChildSpawns, TheGroupOfAResizeIsNamedByItsFirstHost) {
    wire::SpawnAsked asked;
    asked.commands.resize(1);
    EXPECT_FALSE(group_named(asked));
    asked.commands[0].info = {{"wdir", "/"}, {"hosts", "240.0.16.0:1,240.0.16.1:1"}};
    EXPECT_EQ(group_named(asked), GroupId{1});
    asked.commands[0].info = {{"hosts", "node1"}};
    EXPECT_FALSE(group_named(asked));
}

TEST(ChildSpawns, EachCallerIsAnsweredOnce) {
    ChildSpawns spawns;
    spawns.add(GroupId{3}, {HostIndex{1}, {GroupId{0}, Rank{2}}, {}});
    EXPECT_TRUE(spawns.contains(GroupId{3}));
    EXPECT_EQ(spawns.take(GroupId{3})->host, HostIndex{1});
    EXPECT_FALSE(spawns.take(GroupId{3}));
}

}  // namespace
}  // namespace ductile::broker::child_spawns_test
