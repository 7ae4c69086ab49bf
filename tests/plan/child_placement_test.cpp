#include "plan/child_placement.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace ductile::plan::child_placement_test {
namespace {

using core::HostIndex;
using core::Share;
using Shares = std::vector<Share>;

const std::vector<ChildHost> hosts{
    {HostIndex{0}, "a", 1}, {HostIndex{2}, "b", 0}, {HostIndex{3}, "c", 2}};

Shares placed(int ranks, const std::vector<HostWish>& wishes = {}) {
    const auto result = place_children(ranks, wishes, hosts, HostIndex{2});
    const auto* shares = std::get_if<Shares>(&result);
    return shares == nullptr ? Shares{} : *shares;
}

std::string refused(int ranks, const std::vector<HostWish>& wishes) {
    const auto result = place_children(ranks, wishes, hosts, HostIndex{2});
    const auto* why = std::get_if<std::string>(&result);
    return why == nullptr ? "" : *why;
}

TEST(ChildPlacement, FreeSlotsFirst) {
    EXPECT_EQ(placed(1), (Shares{{HostIndex{0}, 1}}));
    EXPECT_EQ(placed(3), (Shares{{HostIndex{0}, 1}, {HostIndex{3}, 2}}));
    EXPECT_EQ(placed(5), (Shares{{HostIndex{0}, 1}, {HostIndex{3}, 4}}));
}

TEST(ChildPlacement, WithoutAFreeSlotWhereTheParentIs) {
    const auto full =
        place_children(2, {}, {{HostIndex{0}, "a", 0}, {HostIndex{2}, "b", 0}}, HostIndex{2});
    EXPECT_EQ(std::get<Shares>(full), (Shares{{HostIndex{2}, 2}}));
}

TEST(ChildPlacement, AsNamed) {
    EXPECT_EQ(placed(3, {{"c", 1}, {"a", 2}}), (Shares{{HostIndex{3}, 1}, {HostIndex{0}, 2}}));
    EXPECT_EQ(placed(5, {{"c", 0}, {"a", 2}, {"b", 0}}),
              (Shares{{HostIndex{3}, 2}, {HostIndex{0}, 2}, {HostIndex{2}, 1}}));
    EXPECT_EQ(placed(1, {{"c", 4}}), (Shares{{HostIndex{3}, 1}}));
}

TEST(ChildPlacement, NoMoreThanThereIsRoomFor) {
    const std::vector<ChildHost> some{
        {HostIndex{0}, "a", 1, 2}, {HostIndex{2}, "b", 0, 1}, {HostIndex{3}, "c", 2, 3}};
    const auto place = [&some](int ranks, const std::vector<HostWish>& wishes = {}) {
        return place_children(ranks, wishes, some, HostIndex{2});
    };
    EXPECT_EQ(std::get<Shares>(place(4)), (Shares{{HostIndex{0}, 1}, {HostIndex{3}, 3}}));
    EXPECT_EQ(std::get<Shares>(place(6)),
              (Shares{{HostIndex{0}, 2}, {HostIndex{3}, 3}, {HostIndex{2}, 1}}));
    EXPECT_EQ(std::get<std::string>(place(7)),
              "the hosts have room for 6 of 7 processes (max_slots)");
    EXPECT_EQ(std::get<Shares>(place(3, {{"c", 3}})), (Shares{{HostIndex{3}, 3}}));
    EXPECT_EQ(std::get<std::string>(place(4, {{"c", 0}})),
              "host c has room for 3 of 4 processes (max_slots)");
}

TEST(ChildPlacement, WhatCannotBe) {
    EXPECT_EQ(refused(2, {{"d", 0}}), "host d is not one of the job's");
    EXPECT_EQ(refused(4, {{"a", 1}, {"c", 1}}), "the hosts that are named take 2 of 4 ranks");
    EXPECT_EQ(refused(4, {{"a", 2}, {"a", 2}}), "host a is named twice");
}

TEST(ChildPlacement, AllRanksHaveAPlaceAndEachHostIsThereOnce) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int tries = 0; tries < 10'000; ++tries) {
        std::vector<ChildHost> some;
        for (int i = 0, n = 1 + below(5); i < n; ++i)
            some.push_back({HostIndex{i}, std::string(1, static_cast<char>('a' + i)), below(4)});
        std::vector<HostWish> wishes;
        for (const auto& host : some)
            if (below(3) == 0) wishes.push_back({host.name, below(4)});
        const int ranks = 1 + below(12);
        const auto result = place_children(ranks, wishes, some, HostIndex{0});
        const auto* shares = std::get_if<Shares>(&result);
        if (shares == nullptr) continue;
        int sum = 0;
        std::vector<HostIndex> seen;
        for (const auto& share : *shares) {
            EXPECT_GT(share.ranks, 0);
            EXPECT_EQ(std::count(seen.begin(), seen.end(), share.host), 0);
            seen.push_back(share.host);
            sum += share.ranks;
        }
        EXPECT_EQ(sum, ranks);
    }
}

TEST(HostWishes, Texts) {
    EXPECT_EQ(parse_host_wishes("a:2,b"), (std::vector<HostWish>{{"a", 2}, {"b", 0}}));
    EXPECT_EQ(parse_host_wishes("x"), (std::vector<HostWish>{{"x", 0}}));
    for (const auto* bad : {"", "a:", "a:x", "a:0", "a:-1", "a:1048577", "a:99999999999"})
        EXPECT_TRUE(parse_host_wishes(bad).empty()) << bad;
}

}  // namespace
}  // namespace ductile::plan::child_placement_test
