#include "broker/child_spawns.hpp"

#include <gtest/gtest.h>

namespace ductile::broker {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

wire::SpawnAsked spawn(const std::vector<std::pair<int, std::string>>& commands) {
    wire::SpawnAsked asked;
    for (const auto& [ranks, host] : commands) {
        wire::SpawnCommandFields command;
        command.ranks = ranks;
        command.program = {"child" + std::to_string(asked.commands.size())};
        if (!host.empty()) command.info.push_back({"host", host});
        asked.commands.push_back(command);
    }
    return asked;
}

const std::vector<plan::ChildHost> two_hosts{{HostIndex{0}, "node0", 1},
                                             {HostIndex{1}, "node1", 4}};

TEST(ChildSpawns, ACommandOfItsOwnHostGetsAllItsRanksThere) {
    const auto placed = place_spawn(spawn({{2, "node1"}, {1, "node0"}}), two_hosts, HostIndex{0});
    const auto* shares = std::get_if<std::vector<core::Share>>(&placed);
    ASSERT_NE(shares, nullptr) << std::get<std::string>(placed);
    EXPECT_EQ(*shares, (std::vector<core::Share>{{HostIndex{1}, 2}, {HostIndex{0}, 1}}));
}

TEST(ChildSpawns, WhatCannotBePlacedIsRefused) {
    EXPECT_EQ(std::get<std::string>(place_spawn(spawn({{0, ""}}), two_hosts, HostIndex{0})),
              "it asks for no process");
    EXPECT_TRUE(std::holds_alternative<std::string>(
        place_spawn(spawn({{1, "elsewhere"}}), two_hosts, HostIndex{0})));
}

TEST(ChildSpawns, EachPartOfAGroupKnowsItsPrograms) {
    const auto asked = spawn({{2, ""}, {3, ""}});
    const auto first = programs_of_spawn(asked, 0, 3);
    ASSERT_EQ(first.size(), 2u);
    EXPECT_EQ(first[0].ranks, 2);
    EXPECT_EQ(first[1].ranks, 1);
    EXPECT_EQ(first[1].program, std::vector<std::string>{"child1"});
    const auto second = programs_of_spawn(asked, 3, 2);
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(second[0].appnum, 1);
    EXPECT_EQ(second[0].ranks, 2);
}

TEST(ChildSpawns, EachCallerIsAnsweredOnce) {
    ChildSpawns spawns;
    spawns.add(GroupId{3}, {HostIndex{1}, {GroupId{0}, Rank{2}}});
    EXPECT_TRUE(spawns.contains(GroupId{3}));
    EXPECT_EQ(spawns.take(GroupId{3})->host, HostIndex{1});
    EXPECT_FALSE(spawns.take(GroupId{3}));
}

}  // namespace
}  // namespace ductile::broker
