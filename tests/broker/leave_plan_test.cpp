#include "broker/leave_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "job_view.hpp"

namespace ductile::broker::leave_plan_test {
namespace {

using core::HostIndex;

std::map<HostIndex, WallTime> hosts(std::initializer_list<int> which) {
    std::map<HostIndex, WallTime> revoked;
    for (const int host : which) revoked[HostIndex{host}] = {};
    return revoked;
}

std::string why(const Planned& planned) {
    const auto* refused = std::get_if<Refused>(&planned);
    return refused != nullptr ? refused->why : "";
}

TEST(PlanToLeave, TheOtherHostsKeepTheirRanks) {
    const auto planned = plan_to_leave(hosts({1}), job(3, 3));
    const auto& after = std::get<PlannedResize>(planned).after;
    EXPECT_EQ(after.hosts(), (std::vector{HostIndex{0}, HostIndex{2}}));
    EXPECT_EQ(after.size(), 4);
}

TEST(PlanToLeave, Rank0MayLeaveToo) {
    const auto planned = plan_to_leave(hosts({0, 1}), job(3, 3));
    EXPECT_EQ(std::get<PlannedResize>(planned).after.hosts(), std::vector{HostIndex{2}});
}

TEST(PlanToLeave, TheSizeIsTheLargestThatIsAllowed) {
    auto view = job(4, 4);  // 8 ranks
    view.limits.multiple.value = 4;
    const auto planned = plan_to_leave(hosts({3}), view);
    const auto& after = std::get<PlannedResize>(planned).after;
    EXPECT_EQ(after.size(), 4);
    EXPECT_EQ(after.hosts(), (std::vector{HostIndex{0}, HostIndex{1}}));
}

TEST(PlanToLeave, WhatTheJobCannotDoWithoutIsSaid) {
    auto view = job(2, 2);
    view.limits.min.value = 3;
    EXPECT_EQ(why(plan_to_leave(hosts({1}), view)),
              "without h1 the job would have 2 ranks, and " + *objection(view.limits, 2));
    EXPECT_EQ(why(plan_to_leave(hosts({0, 1}), job(2, 2))),
              "without h0, h1 the job would have 0 ranks, and a job keeps at least 1 rank");
}

TEST(PlanToLeave, HostsWithoutRanksAreLeftAlready) {
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_to_leave(hosts({2}), job(3, 2))));
}

/// No rank stays on a host that is left, no rank moves to another host, and the size is the largest
/// that the limits allow.
RC_GTEST_PROP(PlanToLeave, LeavesThemAndNoMore, ()) {
    const int count = *rc::gen::inRange(1, 8);
    auto view = job(count, count);
    view.limits.multiple.value = *rc::gen::inRange(0, 4);
    std::map<HostIndex, WallTime> revoked;
    for (int host = 0; host < count; ++host)
        if (*rc::gen::inRange(0, 3) == 0) revoked[HostIndex{host}] = {};
    const auto planned = plan_to_leave(revoked, view);
    const int staying = 2 * (count - static_cast<int>(revoked.size()));
    if (revoked.empty()) return RC_ASSERT(std::holds_alternative<NothingToDo>(planned));
    const auto size = largest_allowed({1, staying}, view.limits);
    RC_ASSERT(std::holds_alternative<Refused>(planned) == (staying == 0 || !size));
    const auto* resize = std::get_if<PlannedResize>(&planned);
    if (resize == nullptr) return;
    RC_ASSERT(resize->after.size() == *size);
    for (const auto& [host, deadline] : revoked) RC_ASSERT(resize->after.ranks_on(host) == 0);
    RC_ASSERT(core::change_between(view.layout, resize->after).parking.empty());
}

}  // namespace
}  // namespace ductile::broker::leave_plan_test
