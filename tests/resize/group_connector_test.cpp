#include "resize/group_connector.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>

#include "ductile/error.hpp"

namespace ductile::resize::group_connector_test {
namespace {

std::vector<core::Group> groups_of(int n, int ranks) {
    std::vector<core::Group> groups;
    for (int i = 0; i < n; ++i)
        groups.push_back({core::GroupId{10 + i}, core::HostIndex{i}, ranks});
    return groups;
}

std::vector<std::string> ports_for(int group, const std::vector<int>& rounds) {
    std::vector<std::string> ports;
    for (const int round : rounds)
        ports.push_back("port " + std::to_string(group) + "." + std::to_string(round));
    return ports;
}

std::vector<ConnectRoundOrder> make_ready(GroupConnector& connector, int groups, int i, int ranks) {
    std::vector<ConnectRoundOrder> orders;
    for (int r = 0; r < ranks; ++r)
        for (auto& order : connector.hello({core::GroupId{10 + i}, core::Rank{r}}))
            orders.push_back(order);
    const auto rounds = plan::connect_rounds(groups).ports_of(i);
    for (auto& order : connector.ready(core::GroupId{10 + i}, ranks, rounds, ports_for(i, rounds)))
        orders.push_back(order);
    return orders;
}

TEST(GroupConnector, one_group_connects_to_nobody) {
    GroupConnector connector(groups_of(1, 2));
    EXPECT_TRUE(make_ready(connector, 1, 0, 2).empty());
    EXPECT_TRUE(connector.all_ready());
}

TEST(GroupConnector, waits_for_every_rank_to_say_hello) {
    GroupConnector connector(groups_of(2, 2));
    make_ready(connector, 2, 0, 2);
    EXPECT_TRUE(connector.hello({core::GroupId{11}, core::Rank{0}}).empty());
    EXPECT_TRUE(connector.hello({core::GroupId{11}, core::Rank{0}}).empty()) << "twice";
    EXPECT_TRUE(connector.ready(core::GroupId{11}, 2, {}, {}).empty());
    EXPECT_EQ(connector.not_ready(), std::vector{core::GroupId{11}});
    const auto orders = connector.hello({core::GroupId{11}, core::Rank{1}});
    ASSERT_EQ(orders.size(), 1u);
    EXPECT_EQ(orders[0].port, "port 0.0");
    EXPECT_EQ(orders[0].groups, (std::vector{core::GroupId{10}, core::GroupId{11}}));
}

TEST(GroupConnector, refuses_what_the_plan_does_not_say) {
    GroupConnector connector(groups_of(3, 1));
    EXPECT_THROW(connector.hello({core::GroupId{99}, core::Rank{0}}), InputError);
    EXPECT_THROW(connector.hello({core::GroupId{10}, core::Rank{1}}), InputError);
    EXPECT_THROW(connector.ready(core::GroupId{10}, 2, {0, 1}, {"a", "b"}), InputError);
    EXPECT_THROW(connector.ready(core::GroupId{10}, 1, {0}, {"a"}), InputError);
    EXPECT_THROW(connector.round_done(core::GroupId{10}, 0), InputError);
}

// In whatever order groups come up and connections end, all become one set. No set takes part in
// two connections at the same time.
RC_GTEST_PROP(GroupConnector, every_order_of_events_ends_in_one_set, ()) {
    const int n = *rc::gen::inRange(1, 65);
    std::vector<int> order;
    for (int i = 0; i < n; ++i) order.push_back(i);
    const auto shuffle = [](std::vector<int> list) {
        for (std::size_t i = list.size(); i > 1; --i)
            std::swap(list[i - 1], list[*rc::gen::inRange<std::size_t>(0, i)]);
        return list;
    };
    GroupConnector connector(groups_of(n, 1));
    std::vector<ConnectRoundOrder> connecting;
    std::size_t connected = 0;
    const auto take = [&](const std::vector<ConnectRoundOrder>& orders) {
        for (const auto& one : orders) {
            for (const auto& other : connecting)
                for (const auto group : one.groups)
                    RC_ASSERT(std::find(other.groups.begin(), other.groups.end(), group) ==
                              other.groups.end());
            connecting.push_back(one);
        }
    };
    for (const int i : shuffle(order)) {
        take(make_ready(connector, n, i, 1));
        while (!connecting.empty() && *rc::gen::arbitrary<bool>()) {
            const auto which = *rc::gen::inRange<std::size_t>(0, connecting.size());
            const auto done = connecting[which];
            connecting.erase(connecting.begin() + static_cast<std::ptrdiff_t>(which));
            ++connected;
            take(connector.round_done(done.groups.front(), done.round));
        }
    }
    while (!connecting.empty()) {
        const auto done = connecting.front();
        connecting.erase(connecting.begin());
        ++connected;
        take(connector.round_done(done.groups.front(), done.round));
    }
    RC_ASSERT(connected == static_cast<std::size_t>(n - 1));
}

TEST(GroupConnector, a_group_that_is_held_connects_to_nobody) {
    GroupConnector connector(groups_of(2, 1));
    connector.hold(core::GroupId{10});
    connector.hold(core::GroupId{10});
    EXPECT_TRUE(make_ready(connector, 2, 0, 1).empty());
    EXPECT_TRUE(make_ready(connector, 2, 1, 1).empty());
    EXPECT_TRUE(connector.all_ready());
    EXPECT_TRUE(connector.release(core::GroupId{10}).empty());
    EXPECT_EQ(connector.release(core::GroupId{10}).size(), 1u);
    EXPECT_TRUE(connector.knows(core::GroupId{10}));
    EXPECT_FALSE(connector.knows(core::GroupId{9}));
}

}  // namespace
}  // namespace ductile::resize::group_connector_test
