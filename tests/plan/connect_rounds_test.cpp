#include "plan/connect_rounds.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <stdexcept>

namespace ductile::plan::connect_rounds_test {
namespace {

constexpr int max_groups = 64;

TEST(ConnectRounds, FollowsFigure3) {
    const ConnectRounds expected{
        7, {{0, 0, 6}, {0, 1, 5}, {0, 2, 4}, {1, 0, 3}, {1, 1, 2}, {2, 0, 1}}};
    const auto rounds = connect_rounds(7);
    EXPECT_EQ(rounds, expected);
    EXPECT_EQ(rounds.rounds(), 3);
    EXPECT_EQ(rounds.ports_of(0), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(rounds.ports_of(1), (std::vector<int>{0, 1}));
    EXPECT_EQ(rounds.ports_of(2), (std::vector<int>{0}));
    EXPECT_EQ(rounds.ports_of(3), (std::vector<int>{}));
    EXPECT_EQ(itinerary(rounds, 5), (std::vector<Connection>{{0, 1, 5}, {1, 1, 2}, {2, 0, 1}}));
    EXPECT_EQ(set_before(rounds, 0, 2), (std::vector<int>{0, 6, 3}));
    EXPECT_EQ(set_before(rounds, 0, 3), (std::vector<int>{0, 6, 3, 1, 5, 2, 4}));
    EXPECT_EQ(set_before(rounds, 1, 3), (std::vector<int>{})) << "1 has become part of 0";
}

TEST(ConnectRounds, SmallCases) {
    const std::vector<ConnectRounds> table{
        {0, {}},
        {1, {}},
        {2, {{0, 0, 1}}},
        {3, {{0, 0, 2}, {1, 0, 1}}},
        {4, {{0, 0, 3}, {0, 1, 2}, {1, 0, 1}}},
        {5, {{0, 0, 4}, {0, 1, 3}, {1, 0, 2}, {2, 0, 1}}},
    };
    for (const auto& expected : table) EXPECT_EQ(connect_rounds(expected.groups), expected);
    EXPECT_THROW(connect_rounds(-1), std::invalid_argument);
}

TEST(ConnectRounds, ConnectsAllGroupsInLogarithmicallyManyRounds) {
    for (int groups = 0; groups <= max_groups; ++groups) {
        const auto rounds = connect_rounds(groups);
        EXPECT_TRUE(connects_all(rounds)) << groups;
        EXPECT_TRUE(connections_are_disjoint(rounds)) << groups;
        int least = 0;
        while ((1 << least) < groups) ++least;
        EXPECT_EQ(rounds.rounds(), least) << groups;
        EXPECT_EQ(rounds.connections.size(), static_cast<std::size_t>(std::max(groups - 1, 0)));
    }
}

/// The connections of one group, line for line as in Listing 2 of parallel-spawning-strategies.
/// `group_id` changes on the way, as it does there.
std::vector<Connection> listing_2(int groups, int group_id) {
    std::vector<Connection> done;
    for (int round = 0; groups > 1; ++round) {
        const int middle = groups / 2;
        const int new_groups = groups - middle;
        if (group_id < middle) {
            done.push_back({round, group_id, groups - group_id - 1});
        } else if (group_id >= new_groups) {
            const int new_gid = groups - group_id - 1;
            done.push_back({round, new_gid, group_id});
            group_id = new_gid;
        }
        groups = new_groups;
    }
    return done;
}

TEST(ConnectRounds, EachGroupsWayIsThatOfListing2) {
    for (int groups = 1; groups <= max_groups; ++groups) {
        const auto rounds = connect_rounds(groups);
        for (int group = 0; group < groups; ++group)
            EXPECT_EQ(itinerary(rounds, group), listing_2(groups, group))
                << group << " of " << groups;
    }
}

TEST(ConnectRounds, OnlyTheLowerHalfNeedsPorts) {
    for (int groups = 1; groups <= max_groups; ++groups) {
        const auto rounds = connect_rounds(groups);
        std::size_t ports = 0;
        for (int group = 0; group < groups; ++group) {
            EXPECT_EQ(rounds.ports_of(group).empty(), group >= groups / 2) << "Listing 4, line 21";
            for (const int round : rounds.ports_of(group))
                EXPECT_EQ(rounds.connection_of(group, round).value().acceptor, group);
            ports += rounds.ports_of(group).size();
        }
        EXPECT_EQ(ports, rounds.connections.size());
    }
}

TEST(ConnectRounds, SetsPartitionTheGroupsBeforeEachRound) {
    for (int groups = 1; groups <= max_groups; ++groups) {
        const auto rounds = connect_rounds(groups);
        for (int round = 0; round <= rounds.rounds(); ++round) {
            std::multiset<int> seen;
            for (int leading = 0; leading < groups; ++leading) {
                const auto set = set_before(rounds, leading, round);
                if (set.empty()) continue;
                EXPECT_EQ(set.front(), leading) << "its first rank is the set's rank 0";
                seen.insert(set.begin(), set.end());
            }
            EXPECT_EQ(seen.size(), static_cast<std::size_t>(groups));
            EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), seen.size())
                << "no group twice";
        }
        for (const auto& [round, acceptor, connector] : rounds.connections) {
            auto low = set_before(rounds, acceptor, round);
            const auto high = set_before(rounds, connector, round);
            low.insert(low.end(), high.begin(), high.end());
            EXPECT_EQ(set_before(rounds, acceptor, round + 1), low) << "acceptor's ranks first";
        }
    }
}

enum class Ports { one_per_group, one_per_round };

/// Plays the connection of all sets. Of n sets that can move, the set with index `choose(n)` (0 ..
/// n-1) moves next. A connector calls as soon as it gets to its connection, and an acceptor takes
/// the first call at its port. Returns true if each acceptor got the connector that was planned.
template <class Choose>
bool all_connect_as_planned(const ConnectRounds& rounds, Ports ports, Choose choose) {
    std::map<int, std::size_t> step;  // per set that still exists: how far it is on its way
    for (int group = 0; group < rounds.groups; ++group) step[group] = 0;
    std::map<std::pair<int, int>, std::deque<int>> calls;
    std::set<std::pair<int, int>> has_called;
    while (true) {
        std::vector<int> can_move;
        const auto port_of = [ports](const Connection& connection) {
            return std::pair{connection.acceptor,
                             ports == Ports::one_per_round ? connection.round : 0};
        };
        const auto next_of = [&](int set) -> std::optional<Connection> {
            const auto strategy = itinerary(rounds, set);
            return step[set] < strategy.size() ? std::optional(strategy[step[set]]) : std::nullopt;
        };
        for (const auto& [set, at] : step) {
            const auto next = next_of(set);
            if (!next) continue;
            const bool connects = next->connector == set;
            if (connects ? !has_called.contains({set, next->round})
                         : !calls[port_of(*next)].empty())
                can_move.push_back(set);
        }
        if (can_move.empty()) return step.size() == 1;
        const int set = can_move[choose(can_move.size())];
        const auto connection = *next_of(set);
        if (connection.connector == set) {
            calls[port_of(connection)].push_back(set);
            has_called.insert({set, connection.round});
            continue;
        }
        auto& waiting = calls[port_of(connection)];
        if (waiting.front() != connection.connector) return false;
        waiting.pop_front();
        step.erase(connection.connector);
        ++step[set];
    }
}

TEST(ConnectRounds, OnePortPerGroupIsARaceWithThreeGroups) {
    // Set 1, which is left out of round 0, calls first. Then the last set that can move goes next.
    int moves = 0;
    const auto one_first = [&moves](std::size_t choices) {
        return moves++ == 0 && choices == 2 ? std::size_t{0} : choices - 1;
    };
    EXPECT_FALSE(all_connect_as_planned(connect_rounds(3), Ports::one_per_group, one_first));
    moves = 0;
    EXPECT_TRUE(all_connect_as_planned(connect_rounds(3), Ports::one_per_round, one_first));
}

RC_GTEST_PROP(ConnectRounds, OnePortPerRoundMeetsAsPlannedInAnyOrder, ()) {
    const auto rounds = connect_rounds(*rc::gen::inRange(1, 25));
    const auto choose = [](std::size_t choices) {
        return *rc::gen::inRange<std::size_t>(0, choices);
    };
    RC_ASSERT(all_connect_as_planned(rounds, Ports::one_per_round, choose));
}

TEST(ConnectRounds, PredicatesSeeWhatIsWrong) {
    EXPECT_FALSE(connects_all({3, {{0, 0, 2}}})) << "1 is never connected";
    EXPECT_FALSE(connects_all({2, {}}));
    EXPECT_FALSE(connections_are_disjoint({3, {{0, 0, 2}, {0, 0, 1}}}))
        << "0 meets twice in round 0";
    EXPECT_FALSE(connections_are_disjoint({3, {{0, 0, 2}, {1, 1, 2}}})) << "2 has become part of 0";
    EXPECT_FALSE(connections_are_disjoint({2, {{0, 0, 2}}})) << "there is no group 2";
    EXPECT_FALSE(connections_are_disjoint({2, {{0, 1, 1}}})) << "with itself";
}

}  // namespace
}  // namespace ductile::plan::connect_rounds_test
