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

Shares placed(int ranks, const std::vector<core::HostShare>& wishes = {}) {
    const auto result = place_children(ranks, wishes, hosts, HostIndex{2});
    const auto* shares = std::get_if<Shares>(&result);
    return shares == nullptr ? Shares{} : *shares;
}

std::string refused(int ranks, const std::vector<core::HostShare>& wishes) {
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
    EXPECT_EQ(placed(5, {{"c"}, {"a", 2}, {"b"}}),
              (Shares{{HostIndex{3}, 2}, {HostIndex{0}, 2}, {HostIndex{2}, 1}}));
    EXPECT_EQ(placed(1, {{"c", 4}}), (Shares{{HostIndex{3}, 1}}));
}

TEST(ChildPlacement, NoMoreThanThereIsRoomFor) {
    const std::vector<ChildHost> some{
        {HostIndex{0}, "a", 1, 2}, {HostIndex{2}, "b", 0, 1}, {HostIndex{3}, "c", 2, 3}};
    const auto place = [&some](int ranks, const std::vector<core::HostShare>& wishes = {}) {
        return place_children(ranks, wishes, some, HostIndex{2});
    };
    EXPECT_EQ(std::get<Shares>(place(4)), (Shares{{HostIndex{0}, 1}, {HostIndex{3}, 3}}));
    EXPECT_EQ(std::get<Shares>(place(6)),
              (Shares{{HostIndex{3}, 3}, {HostIndex{0}, 2}, {HostIndex{2}, 1}}));
    EXPECT_EQ(std::get<std::string>(place(7)),
              "the hosts have room for 6 of 7 processes (max_slots)");
    EXPECT_EQ(std::get<Shares>(place(3, {{"c", 3}})), (Shares{{HostIndex{3}, 3}}));
    EXPECT_EQ(std::get<Shares>(place(5, {{"b"}, {"c"}, {"a"}})),
              (Shares{{HostIndex{2}, 1}, {HostIndex{3}, 2}, {HostIndex{0}, 2}}));
    EXPECT_EQ(std::get<Shares>(place(6, {{"a"}, {"b"}, {"c"}})),
              (Shares{{HostIndex{0}, 2}, {HostIndex{2}, 1}, {HostIndex{3}, 3}}));
    EXPECT_EQ(std::get<std::string>(place(4, {{"c", 4}})),
              "host c has room for 3 of 4 processes (max_slots)");
    EXPECT_EQ(std::get<std::string>(place(4, {{"c"}})),
              "the hosts that are named take 3 of 4 ranks");
}

TEST(ChildPlacement, ByWhatMpiCallsTheHost) {
    const std::vector<ChildHost> some{{HostIndex{0}, "a", 1, {}, "b"},
                                      {HostIndex{2}, "b", 1, {}, "Node-7"},
                                      {HostIndex{3}, "c", 1, {}, "node-7"}};
    EXPECT_EQ(find_host("node-7", some)->host, HostIndex{2});
    EXPECT_EQ(find_host("b", some)->host, HostIndex{2}) << "the name of the job comes first";
    EXPECT_EQ(find_host("", some), some.end());
    EXPECT_EQ(std::get<Shares>(place_children(2, {{"NODE-7"}}, some, HostIndex{0})),
              (Shares{{HostIndex{2}, 2}}));
    const auto twice = place_children(2, {{"b", 1}, {"node-7", 1}}, some, HostIndex{0});
    EXPECT_EQ(std::get<std::string>(twice), "host node-7 is named twice");
}

TEST(ChildPlacement, WhatCannotBe) {
    EXPECT_EQ(refused(2, {{"d"}}), "host d is not one of the job's");
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
        std::vector<core::HostShare> wishes;
        for (const auto& host : some)
            if (const int number = below(4); below(3) == 0)
                wishes.push_back({host.name, number > 0 ? std::optional(number) : std::nullopt});
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

TEST(HostShares, AreReadWithTheHostsOfTheJob) {
    const std::vector<ChildHost> some{{HostIndex{0}, "fd00::2"}, {HostIndex{1}, "b"}};
    EXPECT_EQ(read_host_shares("fd00::2:2,B", some),
              (std::vector<core::HostShare>{{"fd00::2", 2}, {"B"}}));
    EXPECT_EQ(read_host_shares("x", some), (std::vector<core::HostShare>{{"x"}}));
    for (const auto* bad : {"", "b:", "b:x", "b,b:0", "fd00::2:0", ",b"})
        EXPECT_TRUE(read_host_shares(bad, some).empty()) << bad;
    EXPECT_EQ(std::get<Shares>(place_children(3, {{"FD00::2", 2}, {"B"}}, some, HostIndex{0})),
              (Shares{{HostIndex{0}, 2}, {HostIndex{1}, 1}}));
}

}  // namespace
}  // namespace ductile::plan::child_placement_test
