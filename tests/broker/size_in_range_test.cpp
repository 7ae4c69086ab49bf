#include "broker/size_in_range.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>

#include "broker/choose_strategy.hpp"
#include "job_view.hpp"

namespace ductile::broker::size_in_range_test {
namespace {

using core::SizeRange;
using plan::Method;
using plan::Start;

ResizeRequest to(SizeRange range, MethodWish method = {}) {
    ResizeRequest request;
    request.goal = NewSize{range};
    request.method = method;
    return request;
}

ResizeRequest to_hosts(SizeRange range) {
    auto request = to(range);
    request.goal = NewSize{range, SizeUnit::hosts};
    return request;
}

/// The size that the request leads to; nullopt if the job keeps its size.
std::optional<int> size_by(const ResizeRequest& request, const JobView& view) {
    const auto answer = plan_resize(request, view);
    if (const auto* refused = std::get_if<Refused>(&answer))
        throw std::runtime_error("refused: " + refused->why);
    if (std::holds_alternative<NothingToDo>(answer)) return std::nullopt;
    return std::get<PlannedResize>(answer).after.size();
}

/// Why the request is refused, or why there is nothing to do.
std::string why(const ResizeRequest& request, const JobView& view) {
    const auto answer = plan_resize(request, view);
    if (const auto* refused = std::get_if<Refused>(&answer)) return "refused: " + refused->why;
    if (const auto* nothing = std::get_if<NothingToDo>(&answer)) return "nothing: " + nothing->why;
    return "planned";
}

bool says(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

JobView limited(JobView view, int min, int max, int multiple) {
    view.limits.min.value = min;
    view.limits.max.value = max;
    view.limits.multiple.value = multiple;
    return view;
}

JobView without(JobView view, const std::vector<int>& lost) {
    for (const int host : lost) view.living.hosts.at(static_cast<std::size_t>(host)).slots = 0;
    return view;
}

TEST(SizeInRange, IsTheLargestThatCanBeReached) {
    constexpr int stays = 0;
    const struct {
        const char* what;
        JobView view;
        SizeRange range;
        int size;
    } table[] = {
        {"grows to the upper end", job(4, 2), {5, 6}, 6},
        {"grows to the last slot", job(4, 2), {6, 20}, 8},
        {"grows within the range", job(4, 2), {2, 8}, 8},
        {"stays at the upper end", job(4, 2), {1, 4}, stays},
        {"stays where no slot is free", job(4, 4), {4, 16}, stays},
        {"shrinks to the upper end", job(4, 4), {2, 5}, 5},
        {"max", limited(job(4, 2), 0, 6, 0), {2, 8}, 6},
        {"max, and the job is there", limited(job(4, 2), 0, 4, 0), {2, 8}, stays},
        {"min", limited(job(4, 4), 3, 0, 0), {1, 3}, 3},
        {"multiple of a growth", limited(job(4, 2), 0, 0, 3), {5, 8}, 6},
        {"multiple of a shrink", limited(job(4, 4), 0, 0, 3), {2, 5}, 3},
        {"no multiple is left", limited(job(4, 2), 0, 0, 3), {4, 5}, stays},
        {"a lost host is passed over", without(job(4, 2), {3}), {2, 8}, 6},
        {"and is not waited for", without(job(4, 3), {3}), {4, 8}, stays},
        {"but where there is no other", without(job(4, 2), {3}), {7, 8}, 7},
    };
    for (const auto& row : table) {
        const auto size = size_by(to(row.range), row.view);
        EXPECT_EQ(size.value_or(stays), row.size) << row.what;
    }
}

TEST(SizeInRange, WhatCannotBeIsRefusedWithTheReason) {
    const auto view = job(4, 2);
    EXPECT_TRUE(says(why(to({9, 20}), view), "refused: cannot expand from 4 to 9 ranks"));
    EXPECT_EQ(why(to({7, 8}), limited(view, 0, 6, 0)),
              "refused: no size from 7 to 8 is allowed: a size of 8 is above max 6 (default)");
    EXPECT_TRUE(says(why(to({1, 2}), limited(view, 3, 0, 0)), "refused: no size from 1 to 2"));
    EXPECT_TRUE(says(why(to({7, 8}), limited(view, 0, 0, 3)), "no multiple of 3"));
    // The refusal names 10, the smallest size of the range that is allowed, and not 9.
    EXPECT_TRUE(says(why(to({9, 20}), limited(view, 0, 0, 5)), "from 4 to 10 ranks"));
    auto reclaims = to({2, 8});
    reclaims.reclaim = {{"nosuch"}};
    EXPECT_EQ(why(reclaims, view), "refused: there is no host 'nosuch'");
    EXPECT_EQ(why(reclaims, job(4, 4)), "refused: there is no host 'nosuch'");
}

TEST(SizeInRange, AJobThatStaysIsToldWhy) {
    EXPECT_EQ(why(to({1, 4}), job(4, 2)),
              "nothing: the job has a size of 4 already, which is within 1:4");
    EXPECT_TRUE(says(why(to({4, 16}), job(4, 4)),
                     "nothing: the job has a size of 8 already, which is within 4:16; it cannot "
                     "grow now: cannot expand from 8 to 9 ranks"));
    EXPECT_TRUE(says(why(to({2, 8}), limited(job(4, 2), 0, 4, 0)), "above max 4"));
    EXPECT_TRUE(says(why(to({4, 5}), limited(job(4, 2), 0, 0, 3)), "no multiple of 3"));
    auto degraded = job(4, 2);
    degraded.health = Health::final;
    EXPECT_TRUE(says(why(to({2, 8}), degraded), "it cannot grow now: the job is degraded"));
    EXPECT_EQ(why(to_hosts({1, 2}), job(4, 2)),
              "nothing: the job has 2 hosts already, which is within 1:2");
}

TEST(SizeInRange, InHosts) {
    const auto view = job(4, 2);
    EXPECT_EQ(size_by(to_hosts({1, 3}), view), 6);
    EXPECT_EQ(size_by(to_hosts({3, 9}), view), 8);
    EXPECT_EQ(size_by(to_hosts({1, 2}), view), std::nullopt);
    EXPECT_EQ(size_by(to_hosts({1, 2}), job(4, 4)), 4);
    EXPECT_EQ(size_by(to_hosts({1, 4}), limited(view, 0, 7, 0)), 6);
    EXPECT_EQ(size_by(to_hosts({1, 4}), without(view, {2})), 6);
    EXPECT_TRUE(says(why(to_hosts({5, 9}), view), "refused: 5 hosts are asked for"));
}

// A hypercube reaches 6 ranks here, but not 7.
TEST(SizeInRange, IsOneThatTheStartReaches) {
    auto request = to({5, 7});
    request.start = Start::hypercube;
    EXPECT_EQ(size_by(request, job(4, 2)), 6);
}

TEST(SizeInRange, ParkedRanksComeBackFirst) {
    auto view = job(2, 2);
    view.layout = view.layout.without({}, {core::Rank{3}});
    EXPECT_EQ(size_by(to({2, 8}), view), 4);
    EXPECT_EQ(size_by(to({1, 3}), view), std::nullopt);
}

TEST(SizeInRange, FreshProcessesAreStartedAtThePresentSizeToo) {
    const auto fresh = to({2, 8}, Method::baseline);
    EXPECT_EQ(size_by(fresh, job(4, 2)), 8);
    const auto full = job(4, 4);
    const auto answer = plan_resize(fresh, full);
    ASSERT_TRUE(std::holds_alternative<PlannedResize>(answer));
    const auto& resize = std::get<PlannedResize>(answer);
    EXPECT_EQ(resize.after.size(), 8);
    EXPECT_EQ(core::ranks_of(resize.added), 8);
}

// The cheapest strategy is not taken if it only reaches a smaller size.
TEST(SizeInRange, ComesBeforeTheStrategy) {
    auto view = job(4, 1);
    view.automatic = {true, true, true};
    view.mpi.independent_connect = view.mpi.spawn_counts_by_host = false;
    view.costs.starts[{plan::Start::collective, plan::Overlap::blocking}].spawn = {0, 0.001, 0};
    view.costs.starts[{plan::Start::hypercube, plan::Overlap::blocking}].spawn = {0, 0.1, 0};
    view.costs.merge = {0, 0.001, 0};
    const auto four = choose_resize(to(SizeRange::exactly(4)), view);
    ASSERT_TRUE(std::holds_alternative<PlannedResize>(four));
    EXPECT_EQ(std::get<PlannedResize>(four).strategy.start, plan::Start::collective);
    const auto most = choose_resize(to({3, 8}), view);
    ASSERT_TRUE(std::holds_alternative<PlannedResize>(most));
    EXPECT_EQ(std::get<PlannedResize>(most).after.size(), 8);
    EXPECT_EQ(std::get<PlannedResize>(most).strategy.start, plan::Start::hypercube);
}

int plans_made = 0;

/// Has room for each size up to `most`, and counts how often it is asked.
template <int most>
Planned up_to(const ResizeRequest& request, const JobView&) {
    ++plans_made;
    if (request.size()->range.upper > most) return Refused{"too large"};
    PlannedResize resize;
    resize.after =
        core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, request.size()->range.upper}});
    return resize;
}

// The broker handles no events while it plans.
TEST(SizeInRange, IsFoundByFewPlans) {
    auto view = job(1000, 1);
    for (auto* room : {&view.allocation, &view.living})
        for (auto& host : room->hosts) host.slots = 64;
    const auto found = [&](const JobView& of, PlanOneSize plan) {
        plans_made = 0;
        const auto answer = plan_size_in_range(to({3, 1 << 20}), of, plan);
        EXPECT_LT(plans_made, 100);
        const auto* resize = std::get_if<PlannedResize>(&answer);
        return resize != nullptr ? resize->after.size() : 0;
    };
    EXPECT_EQ(found(view, up_to<70000>), 64000);
    EXPECT_EQ(found(view, up_to<63990>), 63990);
    EXPECT_EQ(found(view, up_to<4711>), 4711);
    EXPECT_EQ(found(view, up_to<3>), 3);
    EXPECT_EQ(found(view, up_to<2>), 0);
    EXPECT_EQ(found(limited(view, 0, 0, 7), up_to<4711>), 4711);
    EXPECT_EQ(found(limited(view, 0, 0, 7), up_to<4710>), 4704);
    EXPECT_EQ(found(limited(view, 0, 0, 40000), up_to<4711>), 0);
}

JobView any_job() {
    const int hosts = *rc::gen::inRange(1, 6);
    const int used = *rc::gen::inRange(1, hosts + 1);
    auto view = job(hosts, used);
    for (int i = used; i < hosts; ++i) {
        const auto host = static_cast<std::size_t>(i);
        view.allocation.hosts[host].slots = *rc::gen::inRange(0, 4);
        view.living.hosts[host].slots =
            *rc::gen::arbitrary<bool>() ? 0 : view.allocation.hosts[host].slots;
    }
    return limited(view, *rc::gen::element(0, 0, 2, 4), *rc::gen::element(0, 0, 6, 9),
                   *rc::gen::element(0, 0, 2, 3));
}

ResizeRequest any_range() {
    const int lower = *rc::gen::inRange(1, 12);
    auto request = to(
        {lower, *rc::gen::inRange(lower + 1, 20)},
        *rc::gen::element(MethodWish{}, MethodWish{Method::merge}, MethodWish{Method::baseline}));
    request.start = *rc::gen::element<std::optional<Start>>(std::nullopt, Start::hypercube,
                                                            Start::diffusive, Start::collective);
    return request;
}

/// The size after the same request for one size, on hosts that were not lost; nullopt if this is
/// refused.
std::optional<int> reached(const ResizeRequest& request, int size, JobView view) {
    auto one = request;
    one.goal = NewSize{SizeRange::exactly(size)};
    view.allocation = view.living;
    const auto answer = plan_resize(one, view);
    if (const auto* resize = std::get_if<PlannedResize>(&answer)) return resize->after.size();
    return std::nullopt;
}

RC_GTEST_PROP(SizeInRange, IsWhatTryingEachSizeFinds, ()) {
    const auto view = any_job();
    const auto request = any_range();
    const auto& range = request.size()->range;
    const int present = view.layout.size();
    const bool is_within = range.holds(present);
    std::optional<int> largest;
    for (int size = range.lower; size <= range.upper; ++size)
        if (!is_within || size >= present)
            if (const auto one = reached(request, size, view)) largest = one;
    const auto answer = plan_resize(request, view);
    const auto* resize = std::get_if<PlannedResize>(&answer);
    if (largest) {
        RC_ASSERT(resize != nullptr);
        RC_ASSERT(resize->after.size() == *largest);
        RC_ASSERT(range.holds(*largest));
        RC_ASSERT(!objection(view.limits, *largest));
        RC_ASSERT(!is_within || *largest >= present);
    } else if (is_within && request.named_method() != Method::baseline) {
        RC_ASSERT(std::holds_alternative<NothingToDo>(answer));
    } else if (resize != nullptr) {
        // No size is possible without lost hosts. The smallest allowed size needs the fewest of
        // them.
        RC_ASSERT(!objection(view.limits, resize->after.size()));
        for (int size = is_within ? present : range.lower; size < resize->after.size(); ++size)
            RC_ASSERT(objection(view.limits, size).has_value());
    }
}

core::Allocation slots(const std::vector<int>& counts) {
    core::Allocation allocation;
    for (const int count : counts)
        allocation.hosts.push_back({"h" + std::to_string(allocation.hosts.size()), count});
    return allocation;
}

TEST(FirstWorld, HasAsManyRanksAsThereAreSlotsFor) {
    const auto three = slots({2, 2, 2});
    const struct {
        SizeRange range;
        int min, max, multiple;
        int size;
    } table[] = {{{1, 1}, 0, 0, 0, 1}, {{2, 8}, 0, 0, 0, 6}, {{2, 5}, 0, 0, 0, 5},
                 {{6, 8}, 0, 0, 0, 6}, {{2, 8}, 0, 4, 0, 4}, {{2, 8}, 0, 0, 4, 4},
                 {{1, 8}, 3, 0, 5, 5}};
    for (const auto& row : table) {
        const auto planned =
            plan_first_world(row.range, three, limited({}, row.min, row.max, row.multiple).limits);
        ASSERT_TRUE(std::holds_alternative<core::Group>(planned)) << to_string(row.range);
        EXPECT_EQ(std::get<core::Group>(planned).ranks, row.size) << to_string(row.range);
    }
    EXPECT_EQ(std::get<core::Group>(plan_first_world({2, 8}, slots({0, 2, 1}), {})),
              (core::Group{core::GroupId{0}, core::HostIndex{1}, 3, {{core::HostIndex{2}, 1}}}));
}

TEST(FirstWorld, BelowTheLowerEndIsRefusedAsOneSizeIs) {
    const auto refusal = [](SizeRange range, const Limits& limits) {
        const auto planned = plan_first_world(range, slots({2, 2, 2}), limits);
        const auto* refused = std::get_if<Refused>(&planned);
        return refused != nullptr ? refused->why : "";
    };
    EXPECT_TRUE(says(refusal({7, 7}, {}), "cannot start 7 ranks (that takes 7 free slots, "));
    EXPECT_EQ(refusal({7, 9}, {}), refusal({7, 7}, {}));
    EXPECT_TRUE(says(refusal({7, 9}, limited({}, 0, 0, 4).limits), "cannot start 8 ranks"));
    EXPECT_EQ(refusal({3, 3}, limited({}, 0, 2, 0).limits),
              "cannot start the job: a size of 3 is above max 2 (default)");
    EXPECT_TRUE(says(refusal({3, 4}, limited({}, 0, 2, 0).limits),
                     "cannot start the job: no size from 3 to 4 is allowed"));
}

}  // namespace
}  // namespace ductile::broker::size_in_range_test
