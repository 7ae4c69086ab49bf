#include "plan/spawn_wish.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace ductile::plan::spawn_wish_test {
namespace {

using core::HostIndex;

SpawnWish spawn(const std::vector<std::pair<int, std::string>>& commands) {
    SpawnWish wish;
    for (const auto& [ranks, host] : commands) {
        SpawnCommand command;
        command.ranks = ranks;
        command.program = {"child" + std::to_string(wish.commands.size())};
        if (!host.empty()) command.info.push_back({"host", host});
        wish.commands.push_back(command);
    }
    return wish;
}

const std::vector<ChildHost> two_hosts{{HostIndex{0}, "node0", 1}, {HostIndex{1}, "node1", 4}};

TEST(SpawnWish, ACommandOfItsOwnHostGetsAllItsRanksThere) {
    const auto placed = place_spawn(spawn({{2, "node1"}, {1, "node0"}}), two_hosts, HostIndex{0});
    const auto* shares = std::get_if<std::vector<core::Share>>(&placed);
    ASSERT_NE(shares, nullptr) << std::get<std::string>(placed);
    EXPECT_EQ(*shares, (std::vector<core::Share>{{HostIndex{1}, 2}, {HostIndex{0}, 1}}));
}

TEST(SpawnWish, EachCommandIsPlacedAsItsInfoSays) {
    using Shares = std::vector<core::Share>;
    const struct {
        std::vector<std::pair<int, std::string>> commands;
        Shares shares;
    } table[] = {
        {{{1, "node1"}, {2, "node1"}}, {{HostIndex{1}, 3}}},
        {{{1, "node1"}, {1, ""}}, {{HostIndex{1}, 2}}},
        {{{3, "node1"}, {2, ""}}, {{HostIndex{1}, 4}, {HostIndex{0}, 1}}},
        {{{1, ""}, {1, "node1"}}, {{HostIndex{0}, 1}, {HostIndex{1}, 1}}},
        {{{1, "node0:2"}, {2, "node1"}}, {{HostIndex{0}, 1}, {HostIndex{1}, 2}}},
        {{{2, ""}, {4, ""}}, {{HostIndex{0}, 1}, {HostIndex{1}, 5}}},
        {{{0, "node0"}, {1, "node1"}}, {{HostIndex{1}, 1}}},
        {{{1, "node0"}, {1, "node1"}, {2, "node0"}},
         {{HostIndex{0}, 1}, {HostIndex{1}, 1}, {HostIndex{0}, 2}}},
        {{{1, "node1"}, {1, "node0"}, {2, ""}},
         {{HostIndex{1}, 1}, {HostIndex{0}, 1}, {HostIndex{1}, 2}}},
    };
    for (const auto& row : table) {
        const auto placed = place_spawn(spawn(row.commands), two_hosts, HostIndex{0});
        const auto* shares = std::get_if<Shares>(&placed);
        ASSERT_NE(shares, nullptr) << std::get<std::string>(placed);
        EXPECT_EQ(*shares, row.shares) << row.commands.front().second;
    }
}

TEST(SpawnWish, WhatCannotBePlacedIsRefused) {
    EXPECT_EQ(std::get<std::string>(place_spawn(spawn({{1, "node0:x"}}), two_hosts, HostIndex{0})),
              "info key host: 'node0:x' is no list of NAME or NAME:COUNT");
    EXPECT_EQ(std::get<std::string>(place_spawn(spawn({{0, ""}}), two_hosts, HostIndex{0})),
              "it asks for no process");
    EXPECT_TRUE(std::holds_alternative<std::string>(
        place_spawn(spawn({{1, "elsewhere"}}), two_hosts, HostIndex{0})));
}

/// The ranks of each command, or why not.
struct Fitted {
    std::vector<int> ranks;
    std::string why;
    bool operator==(const Fitted&) const = default;
};

/// A command is (ranks, host, soft). "-" as soft: the command has no `soft`.
Fitted fitted(const std::vector<std::tuple<int, std::string, std::string>>& commands) {
    SpawnWish asked;
    for (const auto& [ranks, host, soft] : commands) {
        auto one = spawn({{ranks, host}}).commands.front();
        if (soft != "-") one.info.push_back({"soft", soft});
        asked.commands.push_back(one);
    }
    const auto result = fit_to_slots(asked, two_hosts);
    if (const auto* why = std::get_if<std::string>(&result)) return {{}, *why};
    const auto& [wish, notes] = std::get<FittedSpawn>(result);
    Fitted fits;
    for (const auto& one : wish.commands) fits.ranks.push_back(one.ranks);
    for (const auto& note : notes) fits.why += note;
    return fits;
}

TEST(SpawnWish, SoftOnesTakeFreeSlotsAlone) {
    EXPECT_EQ(fitted({{9, "", "-"}}), (Fitted{{9}, ""})) << "the key is not there";
    EXPECT_EQ(fitted({{9, "", "1:9"}}), (Fitted{{5}, ""}));
    EXPECT_EQ(fitted({{3, "", "1:9"}}), (Fitted{{3}, ""})) << "never more than asked for";
    EXPECT_EQ(fitted({{9, "", "2,4,8"}}), (Fitted{{4}, ""}));
    EXPECT_EQ(fitted({{9, "node1", "1:9"}}), (Fitted{{4}, ""}));
    EXPECT_EQ(fitted({{9, "node1:3,node0", "1:9"}}), (Fitted{{4}, ""}));
    EXPECT_EQ(fitted({{9, "", "0:4:2"}, {9, "", "0:9"}}), (Fitted{{4, 1}, ""}));
    EXPECT_EQ(fitted({{9, "", "0:9"}, {4, "", "-"}}), (Fitted{{1, 4}, ""})) << "it must have its 4";
    EXPECT_EQ(fitted({{9, "", "0:9"}, {9, "", "-"}}), (Fitted{{0, 9}, ""}));
    EXPECT_EQ(fitted({{2, "elsewhere", "1:2"}}), (Fitted{{2}, ""})) << "which is refused later";
}

TEST(SpawnWish, SoftOnesThatFitNowhereStartAsWithoutTheKey) {
    EXPECT_EQ(fitted({{9, "", "6:9"}}),
              (Fitted{{9},
                      "info key soft: '6:9' has no number up to 5 (requested: at most 9 ranks; "
                      "free: 5 slots), and has no effect"}));
    EXPECT_EQ(fitted({{1, "", "2,3"}}),
              (Fitted{{1},
                      "info key soft: '2,3' has no number up to 1 (requested: at most 1 rank; "
                      "free: 5 slots), and has no effect"}));
    EXPECT_EQ(fitted({{3, "", "0,8"}}),
              (Fitted{{3},
                      "info key soft: with the free slots, no process can start, so the key has no "
                      "effect"}));
}

TEST(SpawnWish, SoftOnesThatAreNoSetAreRefused) {
    EXPECT_EQ(fitted({{3, "", "-4"}}).ranks, std::vector{3});
    EXPECT_EQ(fitted({{3, "", "3:1"}}).why.rfind("info key soft: '3:1' is no number", 0), 0u);
    EXPECT_EQ(fitted({{3, "", ""}}).why.rfind("info key soft: '' is no number", 0), 0u);
}

TEST(SpawnWish, KeysWithoutEffectAreNamed) {
    auto asked = spawn({{1, "node1"}});
    auto& info = asked.commands.front().info;
    for (const auto* key : {"wdir", "path", "soft", "arch", "mpi_initial_errhandler"})
        info.push_back({key, "x"});
    EXPECT_EQ(keys_without_effect(asked), std::vector<std::string>{"info key arch has no effect"});
}

TEST(SpawnWish, EachPartOfAGroupKnowsItsPrograms) {
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

}  // namespace
}  // namespace ductile::plan::spawn_wish_test
