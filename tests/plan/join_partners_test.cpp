#include "plan/join_partners.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>

namespace ductile::plan::join_partners_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;
using core::RankRange;

std::vector<RankRange> ranges(const std::vector<int>& ranks_by_host) {
    std::vector<RankRange> made;
    for (const int ranks : ranks_by_host) {
        const auto host = static_cast<int>(made.size());
        made.push_back({GroupId{host}, HostIndex{host}, Rank{0}, ranks});
    }
    return made;
}

std::vector<int> partners(const std::vector<RankRange>& everybody, int me) {
    std::vector<int> values;
    for (const auto rank : join_partners(everybody, Rank{me})) values.push_back(rank.value);
    return values;
}

TEST(JoinPartners, AreThoseThatMpich5Connects) {  // 2 -> 8 on four hosts, seen by ss(8)
    const auto everybody = ranges({2, 2, 2, 2});
    EXPECT_EQ(partners(everybody, 0), (std::vector{1, 2, 4, 6}));
    EXPECT_EQ(partners(everybody, 1), (std::vector{0, 3, 5}));
    EXPECT_EQ(partners(everybody, 6), (std::vector{0, 2, 4, 7}));
}

TEST(JoinPartners, OfSizesThatAreNoPowerOfTwo) {
    // Recursive doubling: 0 and 2 hand their data over to a neighbour, then 1, 3, 4 and 5 exchange.
    // Dissemination: the ranks at the distances 1, 2 and 4 on both sides.
    const auto everybody = ranges({6});
    EXPECT_EQ(partners(everybody, 0), (std::vector{1, 2, 4, 5}));
    EXPECT_EQ(partners(everybody, 1), (std::vector{0, 2, 3, 4, 5}));
    EXPECT_EQ(partners(everybody, 5), (std::vector{0, 1, 3, 4}));
}

TEST(JoinPartners, OfASingleRankAreNone) {
    EXPECT_TRUE(partners(ranges({1}), 0).empty());
}

TEST(JoinPartners, FirstRanksAreThoseOfHostsNotOfRanges) {
    const std::vector<RankRange> everybody = {{GroupId{0}, HostIndex{0}, Rank{0}, 3},
                                              {GroupId{1}, HostIndex{1}, Rank{0}, 3},
                                              {GroupId{2}, HostIndex{0}, Rank{0}, 3}};
    const auto of_0 = partners(everybody, 0);
    EXPECT_TRUE(std::ranges::count(of_0, 3));   // the first of host 1
    EXPECT_FALSE(std::ranges::count(of_0, 6));  // on its own host
}

// If the hosts of the job are logical hosts, MPI sees one machine.
TEST(JoinPartners, OfLogicalHostsAreThoseOfOneMachine) {
    const auto hosts = ranges({2, 2});
    EXPECT_EQ(partners(hosts, 1), (std::vector{0, 3}));
    std::vector<int> values;
    for (const auto rank : join_partners(hosts, Rank{1}, Machines::one))
        values.push_back(rank.value);
    EXPECT_EQ(values, (std::vector{0, 2, 3}));
    EXPECT_EQ(partners(ranges({4}), 1), values);
}

RC_GTEST_PROP(JoinPartners, AreFewMutualAndReachEverybody, ()) {
    const auto hosts = *rc::gen::inRange(1, 40);
    const auto everybody = ranges(*rc::gen::container<std::vector<int>>(
        static_cast<std::size_t>(hosts), rc::gen::inRange(1, 9)));
    const int size = core::ranks_in(everybody);
    std::vector<std::vector<int>> of;
    for (int rank = 0; rank < size; ++rank) of.push_back(partners(everybody, rank));
    std::vector<bool> reached(static_cast<std::size_t>(size), false);
    std::vector<int> next{0};
    while (!next.empty()) {
        const auto rank = static_cast<std::size_t>(next.back());
        next.pop_back();
        if (reached[rank]) continue;
        reached[rank] = true;
        RC_ASSERT(of[rank].size() <= 7 * std::bit_width(static_cast<unsigned>(size)) + 1U);
        for (const int other : of[rank]) {
            RC_ASSERT(other != static_cast<int>(rank));
            RC_ASSERT(std::ranges::count(of[static_cast<std::size_t>(other)],
                                         static_cast<int>(rank)) == 1);
            next.push_back(other);
        }
    }
    RC_ASSERT(std::ranges::count(reached, false) == 0);
}

}  // namespace
}  // namespace ductile::plan::join_partners_test
