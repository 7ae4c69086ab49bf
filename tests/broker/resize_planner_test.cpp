#include "broker/start_refusals.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "job_view.hpp"

namespace ductile::broker {
namespace {

using core::Group;
using core::GroupId;
using core::HostIndex;
using wire::MethodWish;
using wire::ResizeRequest;

ResizeRequest to(int size, MethodWish method = MethodWish::standard) {
    ResizeRequest request;
    request.size = size;
    request.method = method;
    return request;
}

ResizeRequest renew() {
    ResizeRequest request;
    request.renew = true;
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
    return !resize.added.empty() && resize.leaving.size() == view.layout.groups.size() &&
           std::none_of(resize.leaving.begin(), resize.leaving.end(),
                        [&](GroupId id) { return resize.after.find(id) != nullptr; });
}

TEST(PlanResize, MergeAddsOrLetsLeave) {
    const auto view = job(4, 2);
    const auto more = planned(to(8), view);
    EXPECT_EQ(more.added,
              (std::vector<Group>{{GroupId{2}, HostIndex{2}, 2}, {GroupId{3}, HostIndex{3}, 2}}));
    EXPECT_TRUE(more.leaving.empty());
    EXPECT_EQ(more.after, view.layout.with(more.added));
    const auto fewer = planned(to(2), view);
    EXPECT_TRUE(fewer.added.empty());
    EXPECT_EQ(fewer.leaving, (std::vector<GroupId>{GroupId{1}}));
    EXPECT_EQ(fewer.after.size(), 2);
}

TEST(PlanResize, TheSameSizeIsNothingUnlessFreshProcessesAreAskedFor) {
    const auto view = job(4, 2);
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_resize(to(4), view)));
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_resize(to(4, MethodWish::merge), view)));
    EXPECT_TRUE(replaces_all(planned(to(4, MethodWish::baseline), view), view));
    EXPECT_TRUE(replaces_all(planned(renew(), view), view));
    EXPECT_EQ(planned(renew(), view).after.size(), 4);
    auto by_baseline = view;
    by_baseline.way.method = plan::Method::baseline;
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(plan_resize(to(4), by_baseline)));
}

TEST(PlanResize, TheRequestsMethodIsStrongerThanTheJobs) {
    auto view = job(4, 2);
    view.way.method = plan::Method::baseline;
    for (const int size : {2, 3, 6, 8}) EXPECT_TRUE(replaces_all(planned(to(size), view), view));
    EXPECT_TRUE(planned(to(6, MethodWish::merge), view).leaving.empty());
    EXPECT_TRUE(planned(to(2, MethodWish::merge), view).added.empty());
}

TEST(PlanResize, BaselineFillsHostsFromTheFirst) {
    const auto view = job(4, 2);
    const auto resize = planned(to(3, MethodWish::baseline), view);
    EXPECT_EQ(resize.after.groups,
              (std::vector<Group>{{GroupId{2}, HostIndex{0}, 2}, {GroupId{3}, HostIndex{1}, 1}}));
}

TEST(PlanResize, LostHostsArePassedOver) {
    auto view = job(4, 1);
    view.living.hosts[1].slots = 0;
    EXPECT_EQ(planned(to(4), view).added, (std::vector<Group>{{GroupId{1}, HostIndex{2}, 2}}));
    EXPECT_EQ(planned(to(8), view).added.size(), 3u);  // there are no others
}

TEST(PlanResize, Release) {
    const auto view = job(4, 3);
    ResizeRequest request;
    request.release = {"h1"};
    EXPECT_EQ(planned(request, view).leaving, (std::vector<GroupId>{GroupId{1}}));
    request.method = MethodWish::baseline;
    const auto fresh = planned(request, view);
    EXPECT_TRUE(replaces_all(fresh, view));
    EXPECT_EQ(fresh.after.ranks_on(HostIndex{1}), 0);
    EXPECT_EQ(fresh.after.size(), 4);
    request.release = {"h0", "h1", "h2"};
    EXPECT_NE(refused(request, view), "");
    request.method = MethodWish::merge;
    request.release = {"h3"};
    EXPECT_NE(refused(request, view).find("h3"), std::string::npos);
    request.release = {"nosuch"};
    EXPECT_NE(refused(request, view).find("nosuch"), std::string::npos);
}

TEST(PlanResize, ParkedRanksComeBackFirst) {
    auto view = job(4, 2);
    const auto parked = planned(to(3), view);
    EXPECT_EQ(parked.parking, 1);
    EXPECT_TRUE(parked.leaving.empty());
    view.layout = parked.after;
    const auto back = planned(to(4), view);
    EXPECT_EQ(back.parking, -1);
    EXPECT_TRUE(back.added.empty());
    EXPECT_FALSE(back.goes_on);
    EXPECT_EQ(back.after, job(4, 2).layout);
    const auto part = planned(to(7), view);
    EXPECT_EQ(part.parking, -1);
    EXPECT_EQ(part.after.size(), 4);
    EXPECT_TRUE(part.goes_on);
    EXPECT_EQ(part.rest.started, 3);
    EXPECT_NE(refused(to(100), view), "");  // nothing is begun that could not be ended
    auto odd = view;
    odd.limits.multiple.value = 7;
    EXPECT_TRUE(replaces_all(planned(to(7), odd), odd));  // 4 ranks on the way are not allowed
    EXPECT_TRUE(replaces_all(planned(to(4, MethodWish::baseline), view), view));
    view.wear = Wear::helper;  // no new communicator for old processes
    EXPECT_TRUE(replaces_all(planned(to(4), view), view));
}

TEST(PlanResize, AnMpiThatSpawnsOnOneHostOnly) {
    auto view = job(4, 1);
    view.mpi.spawn_counts_by_host = false;
    view.way.start = plan::Start::collective;
    EXPECT_NE(refused(to(6), view).find("starts ranks on one host only"), std::string::npos);
    EXPECT_EQ(planned(to(4), view).added.size(), 1u);
    view.way.start = plan::Start::hypercube;
    EXPECT_EQ(planned(to(8), view).added.size(), 3u);
    view.mpi.parallel_spawn = false;
    EXPECT_NE(refused(to(8), view).find("does not stand a parallel start"), std::string::npos);
}

TEST(PlanResize, AnMpiWhoseLauncherRunsCannotConnect) {
    auto view = job(4, 1);
    view.mpi.independent_connect = view.mpi.parallel_spawn = false;
    view.mpi.keeps_daemons = true;
    EXPECT_EQ(standard_start(view.mpi), plan::Start::collective);
    EXPECT_NE(refused(to(6), view).find("use --start collective"), std::string::npos);
    view.way.start = plan::Start::hypercube;
    EXPECT_NE(refused(to(6), view).find("does not stand a parallel start"), std::string::npos);
    view.way.start = plan::Start::collective;
    EXPECT_EQ(planned(to(6), view).added.size(), 1u);
    view.wear = Wear::helper;  // fresh processes, by the start that there is
    EXPECT_EQ(planned(to(6), view).way.start, plan::Start::collective);
    view.mpi.spawn = false;
    EXPECT_FALSE(why_not(standard_start(view.mpi), view.mpi)->empty());
}

TEST(PlanResize, ShrinkKinds) {
    const auto view = job(4, 4);
    auto whole = to(5);
    whole.shrink = wire::ShrinkWish::ts;
    EXPECT_NE(refused(whole, view).find("ask for 4 or 6"), std::string::npos);
    auto last_ranks = to(5);
    last_ranks.shrink = wire::ShrinkWish::zs;
    EXPECT_EQ(planned(last_ranks, view).parking, 1);
    last_ranks.size = 9;
    EXPECT_NE(refused(last_ranks, view), "");
    last_ranks.size = 4;
    last_ranks.method = MethodWish::baseline;
    EXPECT_NE(refused(last_ranks, view), "");
}

// Section 4.6: hosts of other groups first; whole if all of it must go; else replaced.
TEST(PlanResize, AnInitialGroupThatSpansHosts) {
    auto view = job(4, 0);
    view.layout.groups = {{GroupId{0}, HostIndex{0}, 4, {{HostIndex{1}, 2}}},
                          {GroupId{1}, HostIndex{2}, 2}};
    view.next_group = view.worlds_met = 2;
    view.one_world = true;
    EXPECT_EQ(planned(to(4), view).leaving, (std::vector<GroupId>{GroupId{1}}));
    EXPECT_EQ(planned(to(2), view).leaving, (std::vector<GroupId>{GroupId{0}}));
    const auto part = planned(to(3), view);
    EXPECT_TRUE(replaces_all(part, view));
    EXPECT_FALSE(part.after.groups[0].spans_hosts());
    EXPECT_NE(refused(to(3, MethodWish::merge), view), "");
    ResizeRequest release;
    release.release = {"h1"};
    const auto freed = planned(release, view);
    EXPECT_TRUE(replaces_all(freed, view));
    EXPECT_EQ(freed.after.size(), 4);
    EXPECT_EQ(freed.after.ranks_on(HostIndex{1}), 0);
    release.method = MethodWish::merge;
    EXPECT_NE(refused(release, view).find("split"), std::string::npos);
    release.release = {"h0", "h1"};
    EXPECT_EQ(planned(release, view).leaving, (std::vector<GroupId>{GroupId{0}}));
}

TEST(PlanResize, GroupsOfSeveralHosts) {
    auto view = job(5, 2);
    view.layout.groups = {{GroupId{0}, HostIndex{0}, 4, {{HostIndex{1}, 2}}}};
    view.next_group = view.worlds_met = 1;
    view.hosts_per_group = 2;
    const auto grown = planned(to(10), view);
    EXPECT_EQ(grown.added, (std::vector<Group>{{GroupId{1}, HostIndex{2}, 4, {{HostIndex{3}, 2}}},
                                               {GroupId{2}, HostIndex{4}, 2}}));
    view.layout = grown.after;
    view.next_group = view.worlds_met = 3;
    EXPECT_EQ(planned(to(4), view).leaving, (std::vector<GroupId>{GroupId{1}, GroupId{2}}));
    const auto part = planned(to(6, MethodWish::standard), view);
    EXPECT_EQ(part.after.size(), 6);
    const auto split = planned(to(2, MethodWish::baseline), view);
    EXPECT_TRUE(replaces_all(split, view));
    EXPECT_NE(refused(to(3, MethodWish::merge), view), "");
    const auto replaced = planned(to(3), view);
    EXPECT_TRUE(replaces_all(replaced, view)) << "a part of g0 has to go, whichever others do";
    EXPECT_EQ(replaced.added,
              (std::vector<Group>{{GroupId{3}, HostIndex{0}, 3, {{HostIndex{1}, 1}}}}));
}

TEST(PlanResize, SizesInHosts) {
    const auto view = job(4, 2);
    auto request = to(3);
    request.unit = wire::SizeUnit::hosts;
    EXPECT_EQ(planned(request, view).after.size(), 6);
    request.size = 1;
    EXPECT_EQ(planned(request, view).after.size(), 2);
    request.size = 5;
    EXPECT_NE(refused(request, view), "");
    auto few = view;
    few.allocation.hosts[3].slots = few.living.hosts[3].slots = 0;
    request.size = 4;
    EXPECT_NE(refused(request, few), "");
}

TEST(PlanResize, LimitsHoldForEveryMethod) {
    auto view = job(4, 2);
    view.limits.max.value = 4;
    view.limits.min.value = 3;
    for (const auto method : {MethodWish::standard, MethodWish::merge, MethodWish::baseline}) {
        EXPECT_NE(refused(to(6, method), view), "");
        EXPECT_NE(refused(to(2, method), view), "");
    }
    EXPECT_EQ(refused(renew(), view), "");
}

TEST(PlanResize, WornProcessesAreReplacedAtTheNextGrowth) {
    auto view = job(4, 2);
    view.wear = Wear::helper;
    EXPECT_TRUE(replaces_all(planned(to(8), view), view));
    EXPECT_TRUE(replaces_all(planned(renew(), view), view));
    EXPECT_NE(refused(to(8, MethodWish::merge), view).find("worn"), std::string::npos);
    EXPECT_EQ(planned(to(2), view).leaving.size(), 1u);  // a shrink is possible as ever
    view.wear = Wear::final;
    for (const auto& request : {to(8), to(8, MethodWish::baseline), renew()})
        EXPECT_NE(refused(request, view).find("worn"), std::string::npos);
    EXPECT_EQ(planned(to(2), view).leaving.size(), 1u);
}

TEST(PlanResize, ReplacesAllBeforeTheMpisLimitOfWorldsInALife) {
    auto view = job(4, 1);
    view.mpi.max_worlds_in_life = 100;
    const int replacement = 4;  // groups, at most
    view.worlds_met = 100 - 1 - replacement - 1;
    EXPECT_FALSE(replaces_all(planned(to(4), view), view));  // meets one more
    ++view.worlds_met;
    EXPECT_TRUE(replaces_all(planned(to(4), view), view));
    EXPECT_FALSE(
        replaces_all(planned(to(4, MethodWish::merge), view), view));  // as it was asked for
    view.worlds_met = 100 - 2;
    EXPECT_NE(refused(to(4), view).find("98 of the 100"), std::string::npos);
    EXPECT_EQ(planned(to(4, MethodWish::merge), view).added.size(), 1u);
}

TEST(PlanResize, ALargeAllocationIsNoReasonToReplaceAll) {
    auto view = job(2000, 2);
    view.mpi.max_worlds_in_life = 1023;
    view.mpi.max_worlds_in_communicator = 100;
    EXPECT_FALSE(replaces_all(planned(to(20), view), view));
    view.worlds_met = 1023 - 99 - 8;
    EXPECT_TRUE(replaces_all(planned(to(20), view), view));
}

// By merge and renewal as they come, an MPI's limit is never met.
TEST(PlanResize, NoLifeIsLongerThanTheMpiAllows) {
    auto view = job(6, 1);
    view.mpi.max_worlds_in_life = 40;
    unsigned state = 7;
    int renewals = 0;
    for (int i = 0; i < 2000; ++i) {
        state = state * 1103515245u + 12345u;
        const int size = 2 * (1 + static_cast<int>((state >> 16) % 6));
        const auto answer = plan_resize(to(size), view);
        if (std::holds_alternative<NothingToDo>(answer)) continue;
        const auto& resize = std::get<PlannedResize>(answer);
        view.worlds_met += static_cast<int>(resize.added.size());
        ASSERT_LT(view.worlds_met, 40);
        view.next_group += static_cast<int>(resize.added.size());
        if (resize.leaving.size() == view.layout.groups.size()) {
            view.worlds_met = static_cast<int>(view.layout.groups.size() + resize.added.size());
            ++renewals;
        }
        view.layout = resize.after;
        ASSERT_EQ(view.layout.size(), size);
    }
    EXPECT_GT(renewals, 50);
}

TEST(PlanResize, NotTooManyWorldsTogether) {
    auto view = job(8, 4);
    view.mpi.max_worlds_in_communicator = 7;
    EXPECT_EQ(planned(to(12), view).added.size(), 2u);
    EXPECT_NE(refused(to(14), view).find("7 groups"), std::string::npos);
    EXPECT_NE(refused(renew(), view).find("8 groups"), std::string::npos);
    view.mpi.max_worlds_in_life = 20;  // too late to replace them all, not too late to grow
    view.worlds_met = 12;
    EXPECT_EQ(planned(to(12), view).added.size(), 2u);
}

ResizeRequest by(wire::StartWish start, ResizeRequest request) {
    request.start = start;
    return request;
}

TEST(PlanResize, AStartInsideOfMpiSaysWhoStartsWhat) {
    const auto view = job(4, 2);
    const auto diffusive = planned(by(wire::StartWish::diffusive, to(8)), view);
    EXPECT_EQ(diffusive.way.start, plan::Start::diffusive);
    ASSERT_EQ(diffusive.spawns.size(), 2u);
    EXPECT_EQ(diffusive.spawns[1].starter, GroupId{0});
    EXPECT_EQ(diffusive.spawns[1].rank, core::Rank{1});
    const auto single = planned(by(wire::StartWish::single, to(8)), view);
    ASSERT_EQ(single.added.size(), 1u);
    EXPECT_TRUE(single.added[0].spans_hosts());
    EXPECT_TRUE(planned(to(8), view).spawns.empty());
}

TEST(PlanResize, TheJobsWayIsThatOfRequestsThatNameNone) {
    auto view = job(4, 2);
    view.way = {plan::Method::baseline, plan::Start::single, plan::Overlap::blocking};
    EXPECT_EQ(planned(to(8), view).way, view.way);
    auto request = to(8);
    request.overlap = wire::OverlapWish::background;
    EXPECT_EQ(planned(request, view).way.overlap, plan::Overlap::background);
    EXPECT_EQ(planned(renew(), view).way.start, plan::Start::launch);
    EXPECT_EQ(planned(by(wire::StartWish::hypercube, renew()), view).way.start,
              plan::Start::hypercube);
}

TEST(PlanResize, AnMpiThatCannotSpawnIsToldToLaunch) {
    auto view = job(4, 2);
    view.mpi.spawn = false;
    EXPECT_NE(refused(by(wire::StartWish::single, to(8)), view).find("launch"), std::string::npos);
    EXPECT_EQ(planned(to(8), view).added.size(), 2u);
}

TEST(PlanResize, OneWorldOverLogicalHostsWantsAnMpiThatTakesThemForSeveral) {
    auto view = job(4, 2);
    view.worlds_may_span = false;
    EXPECT_NE(refused(by(wire::StartWish::single, to(8)), view).find("logical"), std::string::npos);
    EXPECT_EQ(planned(by(wire::StartWish::single, to(6)), view).added.size(), 1u);
    EXPECT_EQ(planned(by(wire::StartWish::diffusive, to(8)), view).added.size(), 2u);
}

TEST(PlanResize, OneSpawnNamesNoMoreHostsThanFitIntoItsInfo) {
    EXPECT_NE(refused(by(wire::StartWish::single, to(124)), job(62, 1)).find("60 hosts"),
              std::string::npos);
    EXPECT_EQ(planned(by(wire::StartWish::single, to(122)), job(62, 1)).added.size(), 1u);
    EXPECT_EQ(planned(by(wire::StartWish::diffusive, to(124)), job(62, 1)).added.size(), 61u);
}

TEST(PlanResize, AStartWithNothingToStartIsRefused) {
    const auto view = job(4, 4);
    EXPECT_NE(refused(by(wire::StartWish::single, to(4)), view).find("--start"), std::string::npos);
    auto request = to(4);
    request.overlap = wire::OverlapWish::blocking;
    EXPECT_NE(refused(request, view).find("--overlap"), std::string::npos);
}

TEST(PlanResize, AGroupThatSpansHostsIsReplacedWhenAPartOfItHasToGo) {
    auto view = job(4, 1);
    const auto grown = planned(by(wire::StartWish::single, to(8)), view);
    view.layout = grown.after;
    view.next_group = 2;
    view.launchers[GroupId{1}] = HostIndex{0};
    const auto shrunk = planned(to(4), view);
    EXPECT_TRUE(replaces_all(shrunk, view));
    EXPECT_EQ(shrunk.way.start, plan::Start::launch);
    EXPECT_EQ(planned(to(2), view).leaving, std::vector{GroupId{1}});
    EXPECT_NE(refused(to(4, MethodWish::merge), view), "");
}

TEST(PlanResize, ALauncherRunThatOthersNeedKeepsItsHost) {
    auto view = job(3, 3);
    view.launchers[GroupId{2}] = HostIndex{1};  // a rank of group 1 has started it
    ResizeRequest release;
    release.release = {"h1"};
    EXPECT_TRUE(replaces_all(planned(release, view), view));
    EXPECT_EQ(planned(release, view).after.ranks_on(HostIndex{1}), 0);
    release.method = MethodWish::merge;
    EXPECT_NE(refused(release, view).find("h1"), std::string::npos);
    release.method = MethodWish::standard;
    release.release = {"h2"};
    EXPECT_EQ(planned(release, view).leaving, std::vector{GroupId{2}});
}

}  // namespace
}  // namespace ductile::broker
