#include "plan/launch_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "examples.hpp"

namespace ductile::plan::launch_plan_test {
namespace {

using core::Allocation;
using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Layout;

TEST(ToStart, Table2) {
    const auto allocation = slots({4, 2, 8, 12, 3, 3, 4, 4, 6, 3});
    const auto now = Layout::of({group(0, 0, 2)});
    EXPECT_EQ(to_start(now, allocation), (std::vector<int>{2, 2, 8, 12, 3, 3, 4, 4, 6, 3}));
}

TEST(ToStart, IsNeverNegativeAndCountsAllGroupsOfAHost) {
    const auto now = Layout::of({group(0, 0, 5), group(1, 1, 1), group(2, 1, 2), group(3, 7, 9)});
    EXPECT_EQ(to_start(now, slots({4, 4, 0, 2})), (std::vector<int>{0, 1, 0, 2}));
}

TEST(PlanLaunch, Table2FillsAllHostsTo49Ranks) {
    const auto plan = std::get<LaunchPlan>(plan_launch(
        Layout::of({group(0, 0, 2)}), slots({4, 2, 8, 12, 3, 3, 4, 4, 6, 3}), 49, GroupId{1}));
    const std::vector<Group> expected{
        group(1, 0, 2), group(2, 1, 2), group(3, 2, 8), group(4, 3, 12), group(5, 4, 3),
        group(6, 5, 3), group(7, 6, 4), group(8, 7, 4), group(9, 8, 6),  group(10, 9, 3)};
    EXPECT_EQ(plan.added, expected);
}

struct Case {
    const char* what;
    std::vector<Group> now;
    std::vector<int> slots;
    int target;
    int next;
    std::vector<Group> added;
};

TEST(PlanLaunch, Cases) {
    const Case table[] = {
        {"1 -> 4 hosts of 2",
         {group(0, 0, 2)},
         {2, 2, 2, 2},
         8,
         1,
         {group(1, 1, 2), group(2, 2, 2), group(3, 3, 2)}},
        {"the last host in part",
         {group(0, 0, 2)},
         {2, 2, 2, 2},
         7,
         1,
         {group(1, 1, 2), group(2, 2, 2), group(3, 3, 1)}},
        {"a start from nothing", {}, {1, 1}, 2, 0, {group(0, 0, 1), group(1, 1, 1)}},
        {"a host comes back", {group(0, 0, 1), group(2, 2, 1)}, {1, 1, 1}, 3, 7, {group(7, 1, 1)}},
        {"a second group on a host", {group(0, 0, 1)}, {4, 1}, 3, 1, {group(1, 0, 2)}},
        {"hosts that are full or have no slot",
         {group(0, 1, 3)},
         {0, 3, 0, 1, 0, 5},
         6,
         1,
         {group(1, 3, 1), group(2, 5, 2)}},
        {"more ranks than slots on a host", {group(0, 0, 9)}, {2, 4}, 12, 1, {group(1, 1, 3)}},
        {"oversubscribed", {group(0, 0, 1)}, {64, 64}, 128, 1, {group(1, 0, 63), group(2, 1, 64)}},
    };
    for (const auto& row : table) {
        const auto plan =
            plan_launch(Layout::of(row.now), slots(row.slots), row.target, GroupId{row.next});
        ASSERT_TRUE(std::holds_alternative<LaunchPlan>(plan)) << row.what;
        EXPECT_EQ(std::get<LaunchPlan>(plan).added, row.added) << row.what;
    }
}

TEST(PlanLaunch, RefusalsNameTheCounts) {
    const auto now = Layout::of({group(0, 0, 2)});
    EXPECT_EQ(std::get<ExpandRefusal>(plan_launch(now, slots({2, 2}), 2, GroupId{1})).reason,
              "cannot expand to 2 ranks (the job has 2); ask for more than 2");
    EXPECT_EQ(std::get<ExpandRefusal>(plan_launch(now, slots({2, 2}), 5, GroupId{1})).reason,
              "cannot expand from 2 to 5 ranks (that takes 3 free slots, and the 2 hosts of the "
              "allocation have 2); ask for at most 4, or add hosts or slots");
    EXPECT_TRUE(std::holds_alternative<ExpandRefusal>(plan_launch(now, {}, 3, GroupId{1})));
    EXPECT_EQ(std::get<ExpandRefusal>(plan_launch({}, slots({2, 2}), 5, GroupId{0})).reason,
              "cannot start 5 ranks (that takes 5 free slots, and the 2 hosts of the allocation "
              "have 4); ask for at most 4, or add hosts or slots");
}

// A slot is free if its rank has left or is parked.
TEST(PlanLaunch, FillsWhatSingleRanksHaveLeft) {
    const auto now = Layout::of({{GroupId{0}, HostIndex{0}, 6, {{HostIndex{1}, 3}}}})
                         .without({core::Rank{1}, core::Rank{5}}, {core::Rank{4}});
    EXPECT_EQ(to_start(now, slots({3, 3, 1})), (std::vector<int>{1, 2, 1}));
    EXPECT_EQ(std::get<LaunchPlan>(plan_launch(now, slots({3, 3, 1}), 6, GroupId{1})).added,
              (std::vector<Group>{group(1, 0, 1), group(2, 1, 2)}));
}

TEST(PlanLaunch, NeverUsesAnIdAgain) {
    const auto now = Layout::of({group(4, 0, 2)});
    EXPECT_THROW(plan_launch(now, slots({2, 2}), 4, GroupId{4}), std::invalid_argument);
    EXPECT_THROW(plan_launch(now, slots({2, 2}), 4, GroupId{1}), std::invalid_argument);
    const auto asleep = now.with({group(6, 0, 1)}).without({}, {core::Rank{2}});
    EXPECT_THROW(plan_launch(asleep, slots({9}), 4, GroupId{6}), std::invalid_argument);
}

TEST(PlanLaunch, AllSizesTo64HostsOfEqualSlots) {
    for (const int per_host : {1, 2, 3})
        for (int hosts = 2; hosts <= 64; ++hosts) {
            const auto now = Layout::of({group(0, 0, per_host)});
            const auto allocation =
                slots(std::vector<int>(static_cast<std::size_t>(hosts), per_host));
            for (int target = per_host + 1; target <= hosts * per_host; ++target) {
                const auto plan =
                    std::get<LaunchPlan>(plan_launch(now, allocation, target, GroupId{1}));
                const int groups = (target - 1) / per_host;
                ASSERT_EQ(plan.added.size(), static_cast<std::size_t>(groups));
                for (int n = 0; n < groups; ++n) {
                    const int ranks = n + 1 < groups ? per_host : target - per_host * groups;
                    ASSERT_EQ(plan.added[static_cast<std::size_t>(n)], group(n + 1, n + 1, ranks));
                }
            }
        }
}

TEST(AsOneWorld, KeepsRanksWhereTheyWerePlanned) {
    const auto plan = std::get<LaunchPlan>(plan_launch({}, slots({2, 0, 2, 2}), 5, GroupId{0}));
    const auto world = as_one_world(plan.added);
    EXPECT_EQ(world, (Group{GroupId{0}, HostIndex{0}, 5, {{HostIndex{2}, 2}, {HostIndex{3}, 1}}}));
    const auto before = Layout::of(plan.added), after = Layout::of({world});
    EXPECT_EQ(after.size(), before.size());
    EXPECT_EQ(after.hosts(), before.hosts());
    for (int rank = 0; rank < 5; ++rank)
        EXPECT_EQ(world.host_of(core::Rank{rank}), before.host_of(core::Rank{rank}));
    EXPECT_EQ(to_start(after, slots({2, 0, 2, 2})), (std::vector<int>{0, 0, 0, 1}));
}

TEST(AsOneWorld, OfOneGroupIsThatGroup) {
    EXPECT_EQ(as_one_world({group(0, 3, 4)}), group(0, 3, 4));
}

RC_GTEST_PROP(PlanLaunch, FillsFreeSlotsInOrder, ()) {
    const auto allocation = slots(*rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 7)));
    const int hosts = static_cast<int>(allocation.hosts.size());
    std::vector<Group> groups;
    for (const int ranks : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 4)))
        groups.push_back(
            group(static_cast<int>(groups.size()), *rc::gen::inRange(0, hosts + 2), ranks));
    const auto now = Layout::of(groups);
    const int target = *rc::gen::inRange(0, 120);
    const auto free = to_start(now, allocation);
    const int total_free = std::accumulate(free.begin(), free.end(), 0);
    const GroupId next{static_cast<int>(groups.size()) + *rc::gen::inRange(0, 3)};

    const auto result = plan_launch(now, allocation, target, next);
    const bool possible = target > now.size() && target - now.size() <= total_free;
    RC_ASSERT(std::holds_alternative<LaunchPlan>(result) == possible);
    if (!possible) return;

    const auto& added = std::get<LaunchPlan>(result).added;
    RC_ASSERT(now.with(added).size() == target);
    int skipped_from = 0;
    for (std::size_t n = 0; n < added.size(); ++n) {
        const int host = added[n].host.value;
        const int room = free.at(static_cast<std::size_t>(host));
        RC_ASSERT(added[n].id.value == next.value + static_cast<int>(n));
        RC_ASSERT(added[n].ranks >= 1);
        const bool last = n + 1 == added.size();
        RC_ASSERT(added[n].ranks == room || (last && added[n].ranks < room));
        for (int h = skipped_from; h < host; ++h) RC_ASSERT(free[static_cast<std::size_t>(h)] == 0);
        skipped_from = host + 1;
    }
}

}  // namespace
}  // namespace ductile::plan::launch_plan_test
