#include "broker/start_refusals.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "job_view.hpp"

namespace ductile::broker::resize_planner_test {
namespace {

using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Layout;
using core::Rank;
using core::RankRange;
using plan::Method;
using plan::Start;
using Shares = std::vector<core::HostShare>;

RankRange range(int group, int host, int first, int ranks) {
    return {GroupId{group}, HostIndex{host}, Rank{first}, ranks};
}

std::vector<HostIndex> hosts(const std::vector<int>& values) {
    std::vector<HostIndex> all;
    for (const int value : values) all.push_back(HostIndex{value});
    return all;
}

ResizeRequest to(int size, MethodWish method = {}) {
    ResizeRequest request;
    request.goal = NewSize{core::SizeRange::exactly(size)};
    request.method = method;
    return request;
}

ResizeRequest to_hosts(int size, MethodWish method = {}) {
    auto request = to(size, method);
    request.goal = NewSize{core::SizeRange::exactly(size), SizeUnit::hosts};
    return request;
}

ResizeRequest parking(ResizeRequest request) {
    request.shrink = plan::ShrinkKind::park;
    return request;
}

ResizeRequest release(Shares shares, MethodWish method = {}) {
    ResizeRequest request;
    request.goal = GiveBack{std::move(shares)};
    request.method = method;
    return request;
}

ResizeRequest reclaiming(Shares shares, ResizeRequest request) {
    request.reclaim = std::move(shares);
    return request;
}

ResizeRequest renew() {
    ResizeRequest request;
    request.goal = Renewal{};
    return request;
}

ResizeRequest by(Start start, ResizeRequest request) {
    request.start = start;
    return request;
}

PlannedResize planned(const ResizeRequest& request, const JobView& view) {
    const auto answer = plan_resize(request, view);
    if (const auto* refused = std::get_if<Refused>(&answer))
        throw std::runtime_error("refused: " + refused->why);
    return std::get<PlannedResize>(answer);
}

std::string refused(const ResizeRequest& request, const JobView& view) {
    const auto answer = plan_resize(request, view);
    const auto* refusal = std::get_if<Refused>(&answer);
    return refusal != nullptr ? refusal->why : "";
}

bool replaces_all(const PlannedResize& resize, const JobView& view) {
    return !resize.added.empty() && resize.after.size() == core::ranks_of(resize.added) &&
           std::ranges::none_of(view.layout.groups(),
                                [&](GroupId id) { return resize.after.holds(id); });
}

/// The job after this resize.
JobView after(const PlannedResize& resize, JobView view) {
    view.layout = resize.after;
    view.given_back = resize.given_back;
    view.next_group += static_cast<int>(resize.added.size());
    view.mpi_worlds_seen += static_cast<int>(resize.added.size());
    return view;
}

TEST(PlanResize, MergeAddsOneWorldOrLetsTheLastRanksLeave) {
    const auto view = job(4, 2);
    const auto more = planned(to(8), view);
    EXPECT_EQ(more.added, (std::vector<Group>{{GroupId{2}, HostIndex{2}, 4, {{HostIndex{3}, 2}}}}));
    EXPECT_EQ(more.after, view.layout.with(more.added));
    for (const int size : {1, 2, 3}) {
        const auto fewer = planned(to(size), view);
        EXPECT_TRUE(fewer.added.empty());
        EXPECT_EQ(fewer.after.size(), size);
        for (int rank = 0; rank < size; ++rank)
            EXPECT_EQ(fewer.after.at(Rank{rank}), view.layout.at(Rank{rank}));
    }
    // A job that has grown by one world shrinks to any size, too.
    const auto grown = after(more, view);
    EXPECT_EQ(planned(to(5), grown).after.active,
              (std::vector<RankRange>{range(0, 0, 0, 2), range(1, 1, 0, 2), range(2, 2, 0, 1)}));
    EXPECT_EQ(planned(to(3, Method::merge), grown).after.size(), 3);
}

TEST(PlanResize, TheSameSizeIsNothingUnlessFreshProcessesAreAskedFor) {
    const auto view = job(4, 2);
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_resize(to(4), view)));
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_resize(to(4, Method::merge), view)));
    EXPECT_TRUE(replaces_all(planned(to(4, Method::baseline), view), view));
    EXPECT_TRUE(replaces_all(planned(renew(), view), view));
    EXPECT_EQ(planned(renew(), view).after.size(), 4);
    auto by_baseline = view;
    by_baseline.strategy.method = plan::Method::baseline;
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_resize(to(4), by_baseline)));
}

TEST(PlanResize, TheRequestsMethodIsStrongerThanTheJobs) {
    auto view = job(4, 2);
    view.strategy.method = plan::Method::baseline;
    for (const int size : {2, 3, 6, 8}) EXPECT_TRUE(replaces_all(planned(to(size), view), view));
    EXPECT_EQ(planned(to(6, Method::merge), view).after.size(), 6);
    EXPECT_TRUE(planned(to(6, Method::merge), view).after.holds(GroupId{0}));
    EXPECT_TRUE(planned(to(2, Method::merge), view).added.empty());
}

TEST(PlanResize, AProgramOfOneWorldIsReplacedAtEachResize) {
    auto view = job(4, 2);
    view.limits.one_world.value = true;
    for (const int size : {2, 3, 6, 8}) {
        EXPECT_TRUE(replaces_all(planned(to(size), view), view));
        EXPECT_EQ(planned(to(size), view).added.size(), 1u);
    }
    EXPECT_TRUE(replaces_all(planned(release({{"h0"}}), view), view));
    EXPECT_TRUE(replaces_all(planned(by(Start::collective, to(6)), view), view));
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_resize(to(4), view)));
    EXPECT_NE(refused(to(6, Method::merge), view).find("use --method baseline"), std::string::npos);
    EXPECT_NE(refused(by(Start::hypercube, to(6)), view).find("use --start launch"),
              std::string::npos);
    EXPECT_NE(refused(parking(to(2)), view), "");
    view.strategy.start = Start::diffusive;
    EXPECT_NE(refused(to(6), view), "");
}

TEST(PlanResize, BaselineFillsHostsFromTheFirst) {
    const auto view = job(4, 2);
    const auto resize = planned(to(3, Method::baseline), view);
    EXPECT_EQ(resize.added,
              (std::vector<Group>{{GroupId{2}, HostIndex{0}, 3, {{HostIndex{1}, 1}}}}));
    EXPECT_EQ(resize.after, Layout::of(resize.added));
}

TEST(PlanResize, LostHostsArePassedOver) {
    auto view = job(4, 1);
    view.living.hosts[1].slots = 0;
    EXPECT_EQ(planned(to(4), view).added, (std::vector<Group>{{GroupId{1}, HostIndex{2}, 2}}));
    EXPECT_EQ(planned(to(8), view).after.hosts(), hosts({0, 1, 2, 3}));  // there are no others
}

TEST(PlanResize, ReleaseOfHosts) {
    const auto view = job(4, 3);
    const auto freed = planned(release({{"h1"}}), view);
    EXPECT_EQ(freed.after, view.layout.without({Rank{2}, Rank{3}}));
    EXPECT_TRUE(freed.given_back.empty()) << "a host that was left may be used again";
    EXPECT_EQ(planned(release({{"h0"}}), view).after.hosts(), hosts({1, 2}));  // with rank 0
    EXPECT_EQ(planned(parking(release({{"h1"}})), view).after, freed.after);
    const auto fresh = planned(release({{"h1"}}, Method::baseline), view);
    EXPECT_TRUE(replaces_all(fresh, view));
    EXPECT_EQ(fresh.after.hosts(), hosts({0, 2}));
    EXPECT_EQ(fresh.after.size(), 4);
    for (const auto method : {Method::merge, Method::baseline}) {
        EXPECT_NE(refused(release({{"h0"}, {"h1"}, {"h2"}}, method), view), "");
        EXPECT_NE(refused(release({{"h3"}}, method), view).find("h3"), std::string::npos);
        EXPECT_NE(refused(release({{"nosuch"}}, method), view).find("nosuch"), std::string::npos);
    }
}

TEST(PlanResize, ReleaseOfSomeRanksGivesTheirSlotsBack) {
    const auto view = job(4, 3);
    const auto one = planned(release({{"h1", 1}}), view);
    EXPECT_EQ(one.after, view.layout.without({Rank{3}}));
    EXPECT_EQ(one.given_back, (SlotCounts{{HostIndex{1}, 1}}));
    const auto all = planned(release({{"h1", 2}, {"h2"}}), view);
    EXPECT_EQ(all.after, view.layout.without({Rank{2}, Rank{3}, Rank{4}, Rank{5}}));
    EXPECT_EQ(all.given_back, (SlotCounts{{HostIndex{1}, 2}}));
    EXPECT_NE(refused(release({{"h1", 3}}), view).find("h1"), std::string::npos);
    EXPECT_NE(refused(release({{"h0", 2}, {"h1", 2}, {"h2", 2}}), view), "");
    // Slots that were given back before count, too.
    const auto more = planned(release({{"h1", 1}}), after(one, view));
    EXPECT_EQ(more.given_back, (SlotCounts{{HostIndex{1}, 2}}));
    EXPECT_EQ(more.after.hosts(), hosts({0, 2}));
    const auto fresh = planned(release({{"h1", 1}}, Method::baseline), view);
    EXPECT_TRUE(replaces_all(fresh, view));
    EXPECT_EQ(fresh.added,
              (std::vector<Group>{
                  {GroupId{3}, HostIndex{0}, 5, {{HostIndex{1}, 1}, {HostIndex{2}, 2}}}}));
    EXPECT_EQ(fresh.given_back, (SlotCounts{{HostIndex{1}, 1}}));
    auto limited = view;
    limited.limits.multiple.value = 2;
    EXPECT_NE(refused(release({{"h1", 1}}), limited), "");
    EXPECT_EQ(planned(release({{"h1", 2}}), limited).after.size(), 4);
}

TEST(PlanResize, AHostNamedTwiceGivesBackTheLargerNumber) {
    const auto view = job(4, 3);
    const auto twice = planned(release({{"h1", 1}, {"h1", 1}}), view);
    EXPECT_EQ(twice.after, view.layout.without({Rank{3}}));
    EXPECT_EQ(twice.given_back, (SlotCounts{{HostIndex{1}, 1}}));
}

TEST(PlanResize, WhatWasGivenBackIsNotUsedUntilItIsReclaimed) {
    const auto view = after(planned(release({{"h1", 1}}), job(3, 2)), job(3, 2));
    ASSERT_EQ(view.layout.size(), 3);
    const auto more = planned(to(5), view);
    EXPECT_EQ(more.added, (std::vector<Group>{{GroupId{2}, HostIndex{2}, 2}}));
    EXPECT_EQ(more.given_back, view.given_back);
    const auto why = refused(to(6), view);
    EXPECT_NE(why.find("at most 5"), std::string::npos) << why;
    EXPECT_NE(why.find("1 slot of h1"), std::string::npos) << why;
    for (const auto& shares : {Shares{{"h1"}}, Shares{{"h1", 1}}}) {
        const auto all = planned(reclaiming(shares, to(6)), view);
        EXPECT_EQ(all.added,
                  (std::vector<Group>{{GroupId{2}, HostIndex{1}, 3, {{HostIndex{2}, 2}}}}));
        EXPECT_TRUE(all.given_back.empty());
    }
    EXPECT_EQ(planned(to_hosts(3), view).after.size(), 5);
    EXPECT_EQ(planned(renew(), view).after.ranks_on(HostIndex{1}), 1);
    EXPECT_EQ(planned(renew(), view).given_back, view.given_back);
    EXPECT_NE(refused(to(6, Method::baseline), view), "");
    EXPECT_NE(refused(reclaiming({{"h0"}}, to(4)), view).find("h0"), std::string::npos);
    EXPECT_NE(refused(reclaiming({{"h1", 2}}, to(4)), view).find("2 slots"), std::string::npos);
    EXPECT_NE(refused(reclaiming({{"nosuch"}}, to(4)), view).find("nosuch"), std::string::npos);
    // First only some slots are reclaimed. Then all are, and the same request gives back others.
    const auto two = after(planned(release({{"h1", 1}}), view), view);
    EXPECT_EQ(planned(reclaiming({{"h1", 1}}, to(3)), two).given_back,
              (SlotCounts{{HostIndex{1}, 1}}));
    EXPECT_EQ(planned(reclaiming({{"h1"}}, release({{"h0", 1}})), two).given_back,
              (SlotCounts{{HostIndex{0}, 1}}));
}

TEST(PlanResize, RanksThatParkKeepTheirSlots) {
    const auto before = job(3, 2);
    const auto parked = planned(parking(release({{"h1", 1}})), before);
    EXPECT_EQ(parked.after, before.layout.without({}, {Rank{3}}));
    EXPECT_TRUE(parked.given_back.empty());
    EXPECT_EQ(planned(to(4), after(parked, before)).after, before.layout);
}

TEST(PlanResize, ParkedRanksComeBackFirst) {
    auto view = job(4, 2);
    const auto parked = planned(parking(to(3)), view);
    EXPECT_EQ(parked.after.active, view.layout.without({Rank{3}}).active);
    EXPECT_EQ(parked.after.parked, std::vector{range(1, 1, 1, 1)});
    view.layout = parked.after;
    const auto back = planned(to(4), view);
    EXPECT_TRUE(back.added.empty());
    EXPECT_FALSE(back.has_next_step);
    EXPECT_EQ(back.after, job(4, 2).layout);
    const auto part = planned(to(7), view);
    EXPECT_EQ(part.after, job(4, 2).layout);
    EXPECT_TRUE(part.has_next_step);
    EXPECT_EQ(part.rest.started, 3);
    EXPECT_EQ(part.rest.groups, 1);
    EXPECT_NE(refused(to(100), view), "");  // no first step begins if the second is impossible
    auto odd = view;
    odd.limits.multiple.value = 7;
    EXPECT_TRUE(replaces_all(planned(to(7), odd), odd));  // a first step to 4 ranks is not allowed
    EXPECT_NE(refused(to(7, Method::merge), odd).find("a size of 4"), std::string::npos);
    EXPECT_TRUE(replaces_all(planned(to(4, Method::baseline), view), view));
    view.health = Health::helper;  // degraded: old processes get no new communicator
    EXPECT_TRUE(replaces_all(planned(to(4), view), view));
}

TEST(PlanResize, AHostIsLeftByParkedRanksWithItsLastActiveOne) {
    auto view = job(4, 2);
    view.layout = planned(parking(to(3)), view).after;
    EXPECT_TRUE(planned(to(2), view).after.parked.empty());
    EXPECT_TRUE(planned(release({{"h1", 1}}), view).after.parked.empty());
    EXPECT_EQ(planned(parking(to(1)), view).after,
              (Layout{{range(0, 0, 0, 1)}, {range(0, 0, 1, 1)}}));
}

TEST(PlanResize, AnMpiThatSpawnsOnOneHostOnly) {
    auto view = job(4, 1);
    view.mpi.spawn_counts_by_host = false;
    view.strategy.start = plan::Start::collective;
    EXPECT_NE(refused(to(6), view).find("starts ranks on one host only"), std::string::npos);
    EXPECT_EQ(planned(to(4), view).added.size(), 1u);
    view.strategy.start = plan::Start::hypercube;
    EXPECT_EQ(planned(to(8), view).added.size(), 3u);
    view.mpi.parallel_spawn = false;
    EXPECT_NE(refused(to(8), view).find("new processes start others"), std::string::npos);
}

TEST(PlanResize, AnMpiThatDoesNotLockBetweenWorlds) {
    auto view = job(4, 1);
    view.mpi.locks_between_worlds = false;
    view.strategy.redistribution = plan::Executor::alltoallv;
    EXPECT_EQ(planned(to(6), view).strategy.redistribution, plan::Executor::alltoallv);
    for (const auto executor : {plan::Executor::rma_lock, plan::Executor::rma_lockall}) {
        auto request = to(6);
        request.redistribution = executor;
        EXPECT_NE(refused(request, view).find("use --redistribution p2p or alltoallv"),
                  std::string::npos);
        view.mpi.locks_between_worlds = true;
        EXPECT_EQ(planned(request, view).strategy.redistribution, executor);
        view.mpi.locks_between_worlds = false;
    }
}

TEST(PlanResize, AnMpiWhoseLauncherRunsCannotConnect) {
    auto view = job(4, 1);
    view.mpi.independent_connect = view.mpi.parallel_spawn = false;
    view.mpi.keeps_daemons = true;
    EXPECT_EQ(standard_start(view.mpi), plan::Start::collective);
    EXPECT_NE(refused(to(6), view).find("use --start collective"), std::string::npos);
    view.strategy.start = plan::Start::hypercube;
    EXPECT_NE(refused(to(6), view).find("new processes start others"), std::string::npos);
    view.strategy.start = plan::Start::collective;
    EXPECT_EQ(planned(to(6), view).added.size(), 1u);
    view.health = Health::helper;  // so all processes are replaced, by this start
    EXPECT_EQ(planned(to(6), view).strategy.start, plan::Start::collective);
    view.mpi.spawn = false;
    EXPECT_FALSE(why_not(standard_start(view.mpi), view.mpi)->empty());
}

TEST(PlanResize, ShrinkKinds) {
    const auto view = job(4, 4);
    auto end = to(5);
    end.shrink = plan::ShrinkKind::ts;
    EXPECT_EQ(planned(end, view).after, planned(to(5), view).after);
    EXPECT_EQ(planned(end, view).after.parked_size(), 0);
    EXPECT_EQ(planned(parking(to(5)), view).after.parked, std::vector{range(2, 2, 1, 1)});
    for (const auto& none : {parking(to(9)), parking(to(4, Method::baseline))})
        EXPECT_NE(refused(none, view).find("--shrink"), std::string::npos);
}

TEST(PlanResize, AWorldOfSeveralHostsGivesAnyOfThemBack) {
    auto view = job(4, 0);
    view.layout = Layout::of(
        {{GroupId{0}, HostIndex{0}, 4, {{HostIndex{1}, 2}}}, {GroupId{1}, HostIndex{2}, 2}});
    view.next_group = view.mpi_worlds_seen = 2;
    for (const auto method : {MethodWish{}, MethodWish{Method::merge}}) {
        EXPECT_EQ(planned(to(3, method), view).after.active,
                  (std::vector<RankRange>{range(0, 0, 0, 2), range(0, 1, 2, 1)}));
        const auto freed = planned(release({{"h1"}}, method), view);
        EXPECT_TRUE(freed.added.empty());
        EXPECT_EQ(freed.after.active,
                  (std::vector<RankRange>{range(0, 0, 0, 2), range(1, 2, 0, 2)}));
        EXPECT_EQ(planned(release({{"h0"}}, method), view).after.active,
                  (std::vector<RankRange>{range(0, 1, 2, 2), range(1, 2, 0, 2)}));
    }
}

TEST(PlanResize, SizesInHosts) {
    const auto view = job(4, 2);
    EXPECT_EQ(planned(to_hosts(3), view).after.size(), 6);
    EXPECT_EQ(planned(to_hosts(1), view).after.size(), 2);
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_resize(to_hosts(2), view)));
    EXPECT_NE(refused(to_hosts(5), view), "");
    EXPECT_NE(refused(to_hosts(0), view), "");
    auto few = view;
    few.allocation.hosts[3].slots = few.living.hosts[3].slots = 0;
    EXPECT_NE(refused(to_hosts(4), few), "");
}

// A parked rank comes back before a new host is used. No other rank uses its slot.
TEST(PlanResize, MoreHostsWhereARankIsParked) {
    auto view = job(3, 2);
    view.layout =
        Layout::of({{GroupId{0}, HostIndex{0}, 4, {{HostIndex{2}, 2}}}}).without({}, {Rank{3}});
    const auto more = planned(to_hosts(3), view);
    EXPECT_TRUE(more.has_next_step);
    EXPECT_EQ(more.rest.targets, 6);
}

// The hosts that joined first stay with all their ranks, wherever these are in the job's order.
TEST(PlanResize, FewerHostsWhereTheirRanksAreInterleaved) {
    auto view = job(4, 0);
    for (auto* room : {&view.allocation, &view.living})
        for (auto& host : room->hosts) host.slots = 4;
    view.layout = Layout::of({{GroupId{0}, HostIndex{0}, 4, {{HostIndex{1}, 2}}},
                              {GroupId{1}, HostIndex{0}, 4, {{HostIndex{3}, 2}}},
                              {GroupId{2}, HostIndex{1}, 1}});
    view.next_group = view.mpi_worlds_seen = 3;
    EXPECT_EQ(planned(to_hosts(2), view).after.active,
              (std::vector<RankRange>{range(0, 0, 0, 2), range(0, 1, 2, 2), range(1, 0, 0, 2),
                                      range(2, 1, 0, 1)}));
    const auto one = planned(to_hosts(1), view);
    EXPECT_EQ(one.after.active, (std::vector<RankRange>{range(0, 0, 0, 2), range(1, 0, 0, 2)}));
    EXPECT_TRUE(one.given_back.empty());
    EXPECT_EQ(planned(parking(to_hosts(1)), view).after, one.after);
    const auto fresh = planned(to_hosts(1, Method::baseline), view);
    EXPECT_EQ(fresh.after.hosts(), hosts({0}));
    EXPECT_EQ(fresh.after.size(), 4);
    // The order of the ranks tells which host joined first. The order of the allocation does not.
    view.layout = planned(release({{"h0"}}), view).after;
    EXPECT_EQ(planned(to_hosts(1), view).after.hosts(), hosts({1}));
    view.layout = view.layout.without({Rank{0}, Rank{1}});
    EXPECT_EQ(planned(to_hosts(1), view).after.hosts(), hosts({3}));
}

TEST(PlanResize, LimitsHoldForEveryMethod) {
    auto view = job(4, 2);
    view.limits.max.value = 4;
    view.limits.min.value = 3;
    for (const auto method :
         {MethodWish{}, MethodWish{Method::merge}, MethodWish{Method::baseline}}) {
        EXPECT_NE(refused(to(6, method), view), "");
        EXPECT_NE(refused(to(2, method), view), "");
        EXPECT_NE(refused(release({{"h1"}}, method), view), "");
        EXPECT_EQ(refused(release({{"h1", 1}}, method), view), "");
    }
    EXPECT_EQ(refused(renew(), view), "");
}

TEST(PlanResize, DegradedProcessesAreReplacedAtTheNextGrowth) {
    auto view = job(4, 2);
    view.health = Health::helper;
    EXPECT_TRUE(replaces_all(planned(to(8), view), view));
    EXPECT_TRUE(replaces_all(planned(renew(), view), view));
    EXPECT_NE(refused(to(8, Method::merge), view).find("degraded"), std::string::npos);
    EXPECT_TRUE(planned(to(3), view).added.empty());  // a shrink is still possible
    view.health = Health::final;
    for (const auto& request : {to(8), to(8, Method::baseline), renew()})
        EXPECT_NE(refused(request, view).find("degraded"), std::string::npos);
    EXPECT_TRUE(planned(to(3), view).added.empty());
    EXPECT_TRUE(planned(release({{"h0"}}), view).added.empty());
}

TEST(PlanResize, ReplacesAllBeforeTheMpisLimitOfWorldsInALife) {
    auto view = job(4, 1);
    view.mpi.max_worlds_in_life = 1023;
    const int replacement = 1;  // a replacement is one world
    view.mpi_worlds_seen = 1023 - 1 - replacement - 1;
    EXPECT_FALSE(replaces_all(planned(to(4), view), view));  // one world more may come
    ++view.mpi_worlds_seen;
    EXPECT_TRUE(replaces_all(planned(to(4), view), view));
    EXPECT_FALSE(replaces_all(planned(to(4, Method::merge), view), view));  // merge was asked for
    ++view.mpi_worlds_seen;                                                 // 1022, the limit
    for (const auto& request : {to(4), to(4, Method::merge), renew()})
        EXPECT_NE(refused(request, view).find("1022 of the 1022"), std::string::npos);
    EXPECT_TRUE(planned(to(1), view).added.empty()) << "it can shrink";
}

TEST(PlanResize, ReplacesAllBeforeTheMpisLimitOfWorldsInACommunicator) {
    auto view = job(8, 4);
    view.mpi.max_worlds_in_communicator = 7;
    EXPECT_FALSE(replaces_all(planned(to(10), view), view));
    view = after(planned(to(10), view), view);  // 5 worlds of at most 6
    EXPECT_TRUE(replaces_all(planned(to(12), view), view));
    const auto merged = planned(to(12, Method::merge), view);
    EXPECT_FALSE(replaces_all(merged, view)) << "as it was asked for";
    const auto full = after(merged, view);
    for (const auto& request : {to(14), to(14, Method::merge), renew()})
        EXPECT_NE(refused(request, full).find("7 worlds would be too many"), std::string::npos);
    // Worlds that have left do not count.
    auto left = full;
    left.layout = planned(to(9), full).after;
    EXPECT_EQ(left.layout.groups().size(), 5u);
    EXPECT_TRUE(replaces_all(planned(to(12), left), left));
    left.layout = planned(to(8), full).after;
    EXPECT_FALSE(replaces_all(planned(to(12), left), left));
    // A parked rank's world is one of them.
    auto asleep = full;
    asleep.layout = full.layout.without({}, {Rank{11}});
    EXPECT_EQ(asleep.layout.groups().size(), 6u);
    EXPECT_NE(refused(renew(), asleep), "");
}

TEST(PlanResize, AStartOfManyWorldsIsReplacedByOne) {
    auto view = job(8, 4);
    view.mpi.max_worlds_in_communicator = 8;
    const auto many = by(Start::diffusive, to(16));
    EXPECT_TRUE(replaces_all(planned(many, view), view));  // 4 worlds and 4 more
    EXPECT_EQ(planned(many, view).added.size(), 1u);
    auto merge = many;
    merge.method = Method::merge;
    EXPECT_NE(refused(merge, view).find("8 worlds"), std::string::npos);
}

TEST(PlanResize, ALargeAllocationIsNoReasonToReplaceAll) {
    auto view = job(2000, 2);
    view.mpi.max_worlds_in_life = 1023;
    view.mpi.max_worlds_in_communicator = 100;
    const auto grown = planned(to(4000), view);
    EXPECT_FALSE(replaces_all(grown, view));
    EXPECT_EQ(grown.added.size(), 1u);
    view.mpi_worlds_seen = 1021;
    EXPECT_TRUE(replaces_all(planned(to(4000), view), view));
}

// If requests name no method, Ductile replaces all ranks in time: the limits are never reached.
TEST(PlanResize, NoJobIsRefusedForTheWorldsThatItHasMet) {
    for (const auto& [in_life, together] :
         {std::pair{40, 0}, std::pair{0, 7}, std::pair{1023, 4}, std::pair{12, 5}}) {
        auto view = job(6, 1);
        view.mpi.max_worlds_in_life = in_life;
        view.mpi.max_worlds_in_communicator = together;
        unsigned state = 7;
        int renewals = 0;
        for (int i = 0; i < 2000; ++i) {
            state = state * 1103515245u + 12345u;
            const int size = 1 + static_cast<int>((state >> 16) % 12);
            auto request = to(size);
            if ((state >> 24) % 3 == 0 && size < view.layout.size()) request = parking(request);
            const auto answer = plan_resize(request, view);
            if (std::holds_alternative<NothingToDo>(answer)) continue;
            ASSERT_TRUE(std::holds_alternative<PlannedResize>(answer))
                << std::get<Refused>(answer).why;
            const auto& resize = std::get<PlannedResize>(answer);
            const int worlds = static_cast<int>(view.layout.groups().size() + resize.added.size());
            const bool renewed = replaces_all(resize, view);
            view = after(resize, view);
            ASSERT_TRUE(in_life == 0 || view.mpi_worlds_seen < in_life);
            ASSERT_TRUE(together == 0 || worlds < together);
            if (renewed) {
                view.mpi_worlds_seen = worlds;
                ++renewals;
            }
            ASSERT_TRUE(resize.has_next_step || view.layout.size() == size);
        }
        EXPECT_GT(renewals, 10) << in_life << " " << together;
    }
}

TEST(PlanResize, AStartInsideOfMpiSaysWhoStartsWhat) {
    const auto view = job(4, 2);
    const auto diffusive = planned(by(Start::diffusive, to(8)), view);
    EXPECT_EQ(diffusive.strategy.start, plan::Start::diffusive);
    ASSERT_EQ(diffusive.spawns.size(), 2u);
    EXPECT_EQ(diffusive.spawns[1].starter, GroupId{0});
    EXPECT_EQ(diffusive.spawns[1].rank, Rank{1});
    const auto single = planned(by(Start::single, to(8)), view);
    ASSERT_EQ(single.added.size(), 1u);
    EXPECT_TRUE(single.added[0].spans_hosts());
    EXPECT_TRUE(planned(to(8), view).spawns.empty());
}

TEST(PlanResize, TheJobsStrategyIsThatOfRequestsThatNameNone) {
    auto view = job(4, 2);
    view.strategy = {plan::Method::baseline, plan::Start::single, plan::Overlap::blocking};
    EXPECT_EQ(planned(to(8), view).strategy, view.strategy);
    auto request = to(8);
    request.overlap = plan::Overlap::background;
    EXPECT_EQ(planned(request, view).strategy.overlap, plan::Overlap::background);
    EXPECT_EQ(planned(request, view).strategy.joining, plan::Joining::point);
    request.joining = plan::Joining::background;
    EXPECT_EQ(planned(request, view).strategy.joining, plan::Joining::background);
    EXPECT_EQ(planned(renew(), view).strategy.start, plan::Start::launch);
    EXPECT_EQ(planned(by(Start::hypercube, renew()), view).strategy.start, plan::Start::hypercube);
}

TEST(PlanResize, DataMoveAsTheRequestSaysElseAsTheJobDoes) {
    auto view = job(4, 2);
    view.strategy.redistribution = plan::Executor::alltoallv;
    view.health = Health::helper;  // so all processes are replaced unasked
    for (const auto& asked : {to(8), to(2), renew(), release({{"h1", std::nullopt}})}) {
        EXPECT_EQ(planned(asked, view).strategy.redistribution, plan::Executor::alltoallv);
        auto named = asked;
        named.redistribution = plan::Executor::rma_lock;
        EXPECT_EQ(planned(named, view).strategy.redistribution, plan::Executor::rma_lock);
        named.memory = plan::Memory::tight;
        EXPECT_EQ(planned(named, view).strategy.memory, plan::Memory::tight);
    }
    view.strategy.memory = plan::Memory::tight;
    for (const auto& asked : {to(8), to(2), renew(), release({{"h1", std::nullopt}})})
        EXPECT_EQ(planned(asked, view).strategy.memory, plan::Memory::tight);
}

TEST(PlanResize, WhatMovesBeforeThePointIsThereTwice) {
    auto view = job(4, 2);
    view.strategy.joining = plan::Joining::background;
    auto request = to(8);
    request.memory = plan::Memory::tight;
    EXPECT_NE(refused(request, view).find("--memory tight"), std::string::npos);
    request.joining = plan::Joining::point;
    EXPECT_EQ(planned(request, view).strategy.memory, plan::Memory::tight);
    request.joining = std::nullopt;
    request.overlap = plan::Overlap::blocking;  // joins at the point
    EXPECT_EQ(planned(request, view).strategy.memory, plan::Memory::tight);
    request = to(2);
    request.memory = plan::Memory::tight;
    EXPECT_EQ(planned(request, view).strategy.memory, plan::Memory::tight);
}

TEST(PlanResize, AnMpiThatCannotSpawnIsToldToLaunch) {
    auto view = job(4, 2);
    view.mpi.spawn = false;
    EXPECT_NE(refused(by(Start::single, to(8)), view).find("launch"), std::string::npos);
    EXPECT_EQ(planned(to(8), view).added.size(), 1u);
}

TEST(PlanResize, OneRankStartsOthersOnlyForItsOwnWorldIfTheyFindNoOther) {
    auto view = job(4, 2);
    view.mpi.spawn_hides_other_worlds = true;
    view.mpi.independent_connect = false;
    auto renewed = by(Start::single, to(2));
    renewed.method = Method::baseline;
    for (const auto& asked : {by(Start::single, to(8)), renewed})
        EXPECT_NE(refused(asked, view).find("--start collective"), std::string::npos);
    EXPECT_EQ(planned(by(Start::collective, to(8)), view).added.size(), 1u);
    const Group second{GroupId{1}, HostIndex{1}, 4, {{HostIndex{2}, 2}}};
    view.layout = Layout::of({second});  // on two hosts, but one world
    EXPECT_EQ(planned(by(Start::single, to(8)), view).added.size(), 1u);
}

TEST(PlanResize, OneSpawnByALauncherNamesNoMoreHostsThanFitIntoItsInfo) {
    EXPECT_NE(refused(by(Start::single, to(124)), job(62, 1)).find("60 hosts"), std::string::npos);
    EXPECT_EQ(planned(by(Start::single, to(122)), job(62, 1)).added.size(), 1u);
    auto served = job(62, 1);
    served.mpi.agents_start_ranks = true;
    EXPECT_EQ(planned(by(Start::single, to(124)), served).added.size(), 1u);
    EXPECT_EQ(planned(by(Start::diffusive, to(124)), job(62, 1)).added.size(), 61u);
    EXPECT_EQ(planned(to(124), job(62, 1)).added.size(), 1u);
}

TEST(PlanResize, AStartWithNothingToStartIsRefused) {
    const auto view = job(4, 4);
    EXPECT_NE(refused(by(Start::single, to(4)), view).find("--start"), std::string::npos);
    EXPECT_NE(refused(by(Start::single, release({{"h1", 1}})), view).find("--start"),
              std::string::npos);
    auto request = to(4);
    request.overlap = plan::Overlap::blocking;
    EXPECT_NE(refused(request, view).find("--overlap"), std::string::npos);
    request = to(4);
    request.joining = plan::Joining::background;
    EXPECT_NE(refused(request, view).find("--join"), std::string::npos);
}

}  // namespace
}  // namespace ductile::broker::resize_planner_test
