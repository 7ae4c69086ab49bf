#include "plan/shrink_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "plan/launch_plan.hpp"

namespace ductile::plan {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Layout;

/// Groups with ids 0, 1, 2, ... on hosts 0, 1, 2, ...
Layout layout_of(const std::vector<int>& sizes) {
    Layout layout;
    for (const int ranks : sizes) {
        const int n = static_cast<int>(layout.groups.size());
        layout.groups.push_back({GroupId{n}, HostIndex{n}, ranks});
    }
    return layout;
}

std::vector<GroupId> ids(const std::vector<int>& values) {
    std::vector<GroupId> result;
    for (const int value : values) result.emplace_back(value);
    return result;
}

TEST(PlanShrink, LetsTheYoungestGo) {
    const struct {
        std::vector<int> sizes;
        int target;
        std::vector<int> leaving;
    } table[] = {
        {{2, 2, 2, 2}, 4, {2, 3}},
        {{2, 2, 2, 2}, 2, {1, 2, 3}},
        {{1, 1, 1, 1}, 1, {1, 2, 3}},
        {{2, 3, 2, 4}, 7, {3}},
        {{2, 3, 2, 4}, 6, {1, 2}},  // no choice with the last one leaves 6
        {{2, 3, 2, 4}, 9, {2}},     // rather than group 0
        {{4, 2, 2}, 4, {1, 2}},     // two young rather than one old
        {{3, 1, 4}, 4, {2}},        // rather than the two older
        {{4, 1}, 1, {0}},           // the root's group, when nothing else will do
        {{2, 8, 12, 3, 3}, 15, {0, 1, 4}},
    };
    for (const auto& row : table) {
        const auto now = layout_of(row.sizes);
        const auto result = plan_shrink(now, row.target);
        ASSERT_TRUE(std::holds_alternative<ShrinkPlan>(result)) << row.target;
        EXPECT_EQ(std::get<ShrinkPlan>(result).leaving, ids(row.leaving)) << row.target;
        EXPECT_EQ(std::get<ShrinkPlan>(result).after, now.without(ids(row.leaving)));
    }
}

TEST(PlanShrink, WhatNoGroupsMakeUpIsParked) {
    const struct {
        std::vector<int> sizes;
        int target;
        ShrinkKind kind;
        std::vector<int> leaving;
        int parking;
    } table[] = {
        {{4}, 1, ShrinkKind::automatic, {}, 3},
        {{2, 2, 2, 2}, 5, ShrinkKind::automatic, {3}, 1},
        {{2, 3, 2, 4}, 10, ShrinkKind::automatic, {}, 1},
        {{2, 3, 2, 4}, 6, ShrinkKind::automatic, {1, 2}, 0},
        {{2, 3, 2, 4}, 6, ShrinkKind::zs, {3}, 1},  // always the last ranks
        {{4, 1}, 1, ShrinkKind::zs, {1}, 3},
        {{2, 2}, 2, ShrinkKind::zs, {1}, 0},  // all of a group: it ends
    };
    for (const auto& row : table) {
        const auto now = layout_of(row.sizes);
        const auto result = plan_shrink(now, row.target, row.kind);
        ASSERT_TRUE(std::holds_alternative<ShrinkPlan>(result)) << row.target;
        const auto& plan = std::get<ShrinkPlan>(result);
        EXPECT_EQ(plan.leaving, ids(row.leaving)) << row.target;
        EXPECT_EQ(plan.parking, row.parking) << row.target;
        EXPECT_EQ(plan.after, now.without(plan.leaving).with_parked(plan.parking));
    }
    Layout world{{{GroupId{0}, HostIndex{0}, 4, {{HostIndex{1}, 2}}}}};
    EXPECT_EQ(std::get<ShrinkRefusal>(plan_shrink(world, 3)).reason,
              "cannot shrink from 4 to 3 ranks (that would split a group that spans hosts, which "
              "cannot park ranks); ask for 4");
}

// Any sequence of shrinks: nobody's rank changes but by whole groups that leave before it, and only
// the last group has parked ranks.
RC_GTEST_PROP(PlanShrink, OnlyTheLastGroupHasParkedRanks, ()) {
    const int groups = *rc::gen::inRange(1, 8);
    auto now = layout_of(*rc::gen::container<std::vector<int>>(static_cast<std::size_t>(groups),
                                                               rc::gen::inRange(1, 9)));
    while (now.size() > 1) {
        const int target = *rc::gen::inRange(1, now.size());
        const auto kind = *rc::gen::element(ShrinkKind::automatic, ShrinkKind::zs);
        const auto plan = std::get<ShrinkPlan>(plan_shrink(now, target, kind));
        RC_ASSERT(plan.after.size() == target);
        for (const auto& group : plan.after.groups) {
            RC_ASSERT(group.ranks > 0);
            RC_ASSERT(group.parked == 0 || group == plan.after.groups.back());
            const auto* before = now.find(group.id);
            RC_ASSERT(before->ranks + before->parked == group.ranks + group.parked);
        }
        RC_ASSERT(plan.after.with_parked(-plan.parking) == now.without(plan.leaving));
        now = plan.after;
    }
}

TEST(PlanShrink, RefusalsNameTheNearestSizes) {
    const struct {
        std::vector<int> sizes;
        int target;
        std::vector<int> nearest;
    } table[] = {
        {{2, 2, 2, 2}, 5, {4, 6}},
        {{2, 2, 2, 2}, 1, {2}},
        {{2, 2}, 3, {2, 4}},
        {{4}, 2, {4}},
        {{2, 3, 2, 4}, 10, {9, 11}},
        {{5, 1}, 3, {1, 5}},
        {{2, 2}, 4, {2}},
        {{2, 2}, 9, {4}},
        {{2, 2}, 0, {2}},
        {{3, 4}, -1, {3}},
        {{}, 1, {}},
    };
    for (const auto& row : table) {
        const auto result = plan_shrink(layout_of(row.sizes), row.target, ShrinkKind::ts);
        ASSERT_TRUE(std::holds_alternative<ShrinkRefusal>(result)) << row.target;
        EXPECT_EQ(std::get<ShrinkRefusal>(result).nearest, row.nearest) << row.target;
    }
    EXPECT_EQ(
        std::get<ShrinkRefusal>(plan_shrink(layout_of({2, 2, 2, 2}), 5, ShrinkKind::ts)).reason,
        "cannot shrink from 8 to 5 ranks (no choice among its 4 groups leaves that size, and a "
        "group leaves as a whole); ask for 4 or 6");
    EXPECT_EQ(std::get<ShrinkRefusal>(plan_shrink(layout_of({2, 2}), 0)).reason,
              "cannot shrink from 4 to 0 ranks (a job keeps at least 1 rank); ask for 2");
    EXPECT_EQ(std::get<ShrinkRefusal>(plan_shrink(layout_of({2}), 2)).reason,
              "cannot shrink from 2 to 2 ranks (that is no smaller than the job is); end the job "
              "instead");
}

TEST(PlanShrink, AllSizesTo64EqualGroups) {
    for (const int ranks : {1, 2, 3})
        for (int groups = 1; groups <= 64; ++groups) {
            const auto now = layout_of(std::vector<int>(static_cast<std::size_t>(groups), ranks));
            for (int target = 1; target < groups * ranks; ++target) {
                const auto result = plan_shrink(now, target, ShrinkKind::ts);
                ASSERT_EQ(std::holds_alternative<ShrinkPlan>(result), target % ranks == 0);
                if (const auto* plan = std::get_if<ShrinkPlan>(&result)) {
                    ASSERT_EQ(plan->after, layout_of(std::vector<int>(
                                               static_cast<std::size_t>(target / ranks), ranks)));
                } else {
                    const int below = target / ranks * ranks;
                    const auto nearest = below > 0 ? std::vector<int>{below, below + ranks}
                                                   : std::vector<int>{ranks};
                    ASSERT_EQ(std::get<ShrinkRefusal>(result).nearest, nearest);
                }
            }
        }
}

RC_GTEST_PROP(PlanShrink, IsTheBestOfAllChoices, ()) {
    const int groups = *rc::gen::inRange(1, 11);
    const auto sizes = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(groups),
                                                             rc::gen::inRange(1, 12));
    const auto now = layout_of(sizes);
    const int target = *rc::gen::inRange(1, now.size() + 1);
    // A choice as a number with a bit for each group that leaves: the best is the largest, as bit n
    // is group n.
    int best = 0;
    std::set<int> possible;
    for (int choice = 0; choice < (1 << groups) - 1; ++choice) {
        int stay = now.size();
        for (int n = 0; n < groups; ++n)
            if ((choice >> n & 1) != 0) stay -= sizes[static_cast<std::size_t>(n)];
        possible.insert(stay);
        if (stay == target) best = choice;
    }
    const auto result = plan_shrink(now, target, ShrinkKind::ts);
    RC_ASSERT(std::holds_alternative<ShrinkPlan>(result) == (best != 0));
    if (const auto* plan = std::get_if<ShrinkPlan>(&result)) {
        int chosen = 0;
        for (const auto id : plan->leaving) chosen |= 1 << id.value;
        RC_ASSERT(chosen == best);
        RC_ASSERT(plan->after.size() == target);
        RC_ASSERT(plan->after == now.without(plan->leaving));
    } else {
        std::vector<int> nearest;
        if (const auto at = possible.lower_bound(target); at != possible.begin())
            nearest.push_back(*std::prev(at));
        if (const auto at = possible.upper_bound(target); at != possible.end())
            nearest.push_back(*at);
        RC_ASSERT(std::get<ShrinkRefusal>(result).nearest == nearest);
    }
}

RC_GTEST_PROP(PlanShrink, UndoesAnExpand, ()) {
    core::Allocation allocation;
    for (const int slots :
         *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6))))
        allocation.hosts.push_back({"h", slots});
    const auto before = layout_of({2});
    const auto free = to_start(before, allocation);
    int most = 2;
    for (const int n : free) most += n;
    RC_PRE(most > 2);
    const auto grown = std::get<LaunchPlan>(
        plan_launch(before, allocation, *rc::gen::inRange(3, most + 1), GroupId{1}));
    const auto back = std::get<ShrinkPlan>(plan_shrink(before.with(grown.added), 2));
    RC_ASSERT(back.after == before);
}

TEST(PlanShrink, FourThousandGroupsOfManySizes) {
    std::vector<int> sizes;
    for (int n = 0; n < 4096; ++n) sizes.push_back(1 + n * 37 % 128);
    const auto now = layout_of(sizes);
    for (const int target : {1, 12'345, now.size() / 2, now.size() - 1}) {
        const auto result = plan_shrink(now, target, ShrinkKind::ts);
        ASSERT_TRUE(std::holds_alternative<ShrinkPlan>(result));
        EXPECT_EQ(std::get<ShrinkPlan>(result).after.size(), target);
    }
    // The youngest go first: all that remain of the younger half are at most a few that make it
    // exact.
    const auto half = std::get<ShrinkPlan>(plan_shrink(now, now.size() / 2));
    EXPECT_LT(half.after.groups[half.after.groups.size() - 8].id.value, 2100);
}

TEST(PlanRelease, FreesHostsWhole) {
    const Layout now{{{GroupId{0}, HostIndex{0}, 2},
                      {GroupId{1}, HostIndex{1}, 1},
                      {GroupId{2}, HostIndex{0}, 1},
                      {GroupId{3}, HostIndex{2}, 4}}};
    const struct {
        std::vector<HostIndex> hosts;
        std::vector<int> leaving;
    } table[] = {
        {{HostIndex{1}}, {1}},
        {{HostIndex{0}}, {0, 2}},  // both groups there, the root's among them
        {{HostIndex{2}, HostIndex{0}, HostIndex{2}}, {0, 2, 3}},
    };
    for (const auto& row : table) {
        const auto plan = std::get<ShrinkPlan>(plan_release(now, row.hosts));
        EXPECT_EQ(plan.leaving, ids(row.leaving));
        EXPECT_EQ(plan.after, now.without(ids(row.leaving)));
        for (const auto host : row.hosts) EXPECT_EQ(plan.after.ranks_on(host), 0);
    }
}

TEST(PlanRelease, RefusesWhatCannotBe) {
    const auto now = layout_of({2, 3});
    const struct {
        std::vector<HostIndex> hosts;
        const char* reason;
    } table[] = {
        {{}, "cannot release hosts (none was named); name at least one"},
        {{HostIndex{0}, HostIndex{7}},
         "cannot release host 7 (the job has no ranks there); name hosts that the job uses"},
        {{HostIndex{0}, HostIndex{1}},
         "cannot release 2 hosts (all 5 ranks of the job are there); keep at least one host, or "
         "end the job"},
    };
    for (const auto& row : table)
        EXPECT_EQ(std::get<ShrinkRefusal>(plan_release(now, row.hosts)),
                  (ShrinkRefusal{row.reason, {}}));
}

}  // namespace
}  // namespace ductile::plan
