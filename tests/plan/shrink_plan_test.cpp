#include "plan/shrink_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "examples.hpp"
#include "plan/launch_plan.hpp"
#include "plan/start_plan.hpp"

namespace ductile::plan::shrink_plan_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Layout;
using core::Process;
using core::Rank;
using core::RankRange;

RankRange range(int group, int host, int first, int ranks) {
    return {GroupId{group}, HostIndex{host}, Rank{first}, ranks};
}

/// Ranks 0-1 on host 0, 2-3 on host 1, 4 on host 2, of one group; 5-7 on host 1, of another.
const Layout interleaved =
    Layout::of({{GroupId{0}, HostIndex{0}, 5, {{HostIndex{1}, 2}, {HostIndex{2}, 1}}},
                {GroupId{1}, HostIndex{1}, 3}});
const auto hosts = slots({4, 8, 4});

Layout shrunk(const Layout& now, int target, ShrinkKind kind = ShrinkKind::ts) {
    return std::get<ShrinkPlan>(plan_shrink(now, target, kind)).after;
}

Layout released(const Layout& now, const std::vector<Release>& wish,
                ShrinkKind kind = ShrinkKind::ts) {
    return std::get<ShrinkPlan>(plan_release(now, wish, hosts, kind)).after;
}

TEST(ShrinkKinds, NamesThereAndBack) {
    for (const auto kind : all_shrink_kinds) EXPECT_EQ(shrink_kind_named(to_string(kind)), kind);
    EXPECT_FALSE(shrink_kind_named("zs"));
}

TEST(PlanShrink, LetsTheLastRanksGo) {
    const struct {
        int target;
        std::vector<RankRange> stay;
    } table[] = {
        {7, {range(0, 0, 0, 2), range(0, 1, 2, 2), range(0, 2, 4, 1), range(1, 1, 0, 2)}},
        {5, {range(0, 0, 0, 2), range(0, 1, 2, 2), range(0, 2, 4, 1)}},
        {4, {range(0, 0, 0, 2), range(0, 1, 2, 2)}},
        {3, {range(0, 0, 0, 2), range(0, 1, 2, 1)}},
        {1, {range(0, 0, 0, 1)}},
    };
    for (const auto& row : table)
        EXPECT_EQ(shrunk(interleaved, row.target), (Layout{row.stay, {}})) << row.target;
    EXPECT_EQ(shrunk(interleaved, 1).hosts(), std::vector{HostIndex{0}});
}

TEST(PlanShrink, ParkedRanksSleepWhereOthersStay) {
    const struct {
        int target;
        std::vector<RankRange> parked;
    } table[] = {
        {7, {range(1, 1, 2, 1)}},
        {5, {range(1, 1, 0, 3)}},
        {4, {range(1, 1, 0, 3)}},  // rank 4 was the last one on host 2
        {3, {range(0, 1, 3, 1), range(1, 1, 0, 3)}},
        {2, {}},  // no active rank is left on host 1
        {1, {range(0, 0, 1, 1)}},
    };
    for (const auto& row : table) {
        const auto after = shrunk(interleaved, row.target, ShrinkKind::park);
        EXPECT_EQ(after.active, shrunk(interleaved, row.target).active) << row.target;
        EXPECT_EQ(after.parked, row.parked) << row.target;
    }
    // A rank that is parked already stays parked, or leaves with its host.
    const auto before = shrunk(interleaved, 7, ShrinkKind::park);
    EXPECT_EQ(shrunk(before, 5).parked, before.parked);
    EXPECT_EQ(shrunk(before, 5, ShrinkKind::park).parked, std::vector{range(1, 1, 0, 3)});
    EXPECT_EQ(shrunk(before, 2).parked, std::vector<RankRange>{});
}

TEST(PlanShrink, RefusesWhatIsNoSmallerJob) {
    const auto reason = [](int target) {
        return std::get<ShrinkRefusal>(plan_shrink(Layout::of({group(0, 0, 4)}), target)).reason;
    };
    for (const int target : {0, -1})
        EXPECT_EQ(reason(target), "cannot shrink from 4 to " + std::to_string(target) +
                                      " ranks (a job keeps at least 1 rank); end the job instead");
    for (const int target : {4, 9})
        EXPECT_EQ(reason(target), "cannot shrink from 4 to " + std::to_string(target) +
                                      " ranks (that is no smaller than the job is)");
}

TEST(PlanShrink, SixtyFourThousandRanks) {
    std::vector<core::Group> many;
    for (int n = 0; n < 1000; ++n) many.push_back(group(n, n, 64));
    const auto now = Layout::of(many);
    for (const int target : {1, 12'345, now.size() / 2, now.size() - 1}) {
        const auto after = shrunk(now, target);
        EXPECT_EQ(after.size(), target);
        EXPECT_EQ(static_cast<int>(after.active.size()), (target + 63) / 64);
    }
}

/// A job over up to 4 hosts that has grown and shrunk, with ranks parked here and there.
Layout some_layout() {
    auto now = Layout{};
    for (int id = 0, groups = *rc::gen::inRange(1, 5); id < groups; ++id) {
        core::Group made = group(id, *rc::gen::inRange(0, 2), *rc::gen::inRange(1, 4));
        for (int host = made.host.value + 1; host < 4; ++host)
            if (*rc::gen::arbitrary<bool>()) {
                made.elsewhere.push_back({HostIndex{host}, *rc::gen::inRange(1, 4)});
                made.ranks += made.elsewhere.back().ranks;
            }
        now = now.with({made});
    }
    std::set<Rank> leave, park;
    for (int i = 0, most = *rc::gen::inRange(0, now.size() / 2 + 1); i < most; ++i)
        (*rc::gen::arbitrary<bool>() ? leave : park).insert(Rank{*rc::gen::inRange(0, now.size())});
    return now.without(leave, park);
}

// A job can shrink to every smaller size. The ranks that stay keep their numbers.
RC_GTEST_PROP(PlanShrink, EverySizeAndNobodyWhoStaysIsMoved, ()) {
    const auto now = some_layout();
    RC_PRE(now.size() > 1);
    const int target = *rc::gen::inRange(1, now.size());
    const auto kind = *rc::gen::elementOf(all_shrink_kinds);
    const auto after = shrunk(now, target, kind);
    RC_ASSERT(after.size() == target);
    for (int rank = 0; rank < target; ++rank) RC_ASSERT(after.at(Rank{rank}) == now.at(Rank{rank}));
    const auto change = core::change_between(now, after);
    RC_ASSERT(change.returning.empty());
    if (kind == ShrinkKind::ts) RC_ASSERT(change.parking.empty());
    if (kind == ShrinkKind::park)
        for (const auto& one : change.leaving) RC_ASSERT(after.ranks_on(one.host) == 0);
    for (const auto& one : after.parked) RC_ASSERT(after.ranks_on(one.host) > 0);
    for (const auto& one : now.parked)
        RC_ASSERT(core::holds(change.leaving, {one.group, one.first}) ==
                  (after.ranks_on(one.host) == 0));
}

RC_GTEST_PROP(PlanShrink, UndoesAnExpand, ()) {
    core::Allocation allocation;
    for (const int n :
         *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6))))
        allocation.hosts.push_back({"h", n});
    const auto before = Layout::of({group(0, 0, 2)});
    int most = 2;
    for (const int n : to_start(before, allocation)) most += n;
    RC_PRE(most > 2);
    const auto start = *rc::gen::element(Start::launch, Start::diffusive);
    const auto grown = std::get<StartPlan>(plan_start(before, allocation,
                                                      {Method::merge, start,
                                                       *rc::gen::inRange(3, most + 1), GroupId{1}}))
                           .after();
    RC_ASSERT(shrunk(grown, 2) == before);
    const auto asleep = shrunk(grown, 2, ShrinkKind::park);
    RC_ASSERT(asleep.active == before.active);
    RC_ASSERT(asleep.parked_size() == grown.ranks_on(HostIndex{0}) - 2);
}

TEST(PlanRelease, FreesHostsWhole) {
    const struct {
        std::vector<Release> wish;
        std::vector<RankRange> stay;
    } table[] = {
        {{{HostIndex{2}}}, {range(0, 0, 0, 2), range(0, 1, 2, 2), range(1, 1, 0, 3)}},
        {{{HostIndex{1}}}, {range(0, 0, 0, 2), range(0, 2, 4, 1)}},  // ranks of both groups
        {{{HostIndex{0}}},                                           // rank 0's
         {range(0, 1, 2, 2), range(0, 2, 4, 1), range(1, 1, 0, 3)}},
        {{{HostIndex{2}}, {HostIndex{0}}, {HostIndex{2}}}, {range(0, 1, 2, 2), range(1, 1, 0, 3)}},
    };
    for (const auto& row : table) {
        const auto after = released(interleaved, row.wish);
        EXPECT_EQ(after, (Layout{row.stay, {}}));
        for (const auto& one : row.wish) EXPECT_EQ(after.ranks_on(one.host), 0);
        EXPECT_EQ(released(interleaved, row.wish, ShrinkKind::park), after)
            << "none is left there to sleep beside";
    }
}

TEST(PlanRelease, OfSomeRanksTheHighestOfTheHostGo) {
    const struct {
        std::vector<Release> wish;
        std::vector<RankRange> stay, parked;
    } table[] = {
        {{{HostIndex{1}, 1}},
         {range(0, 0, 0, 2), range(0, 1, 2, 2), range(0, 2, 4, 1), range(1, 1, 0, 2)},
         {range(1, 1, 2, 1)}},
        {{{HostIndex{1}, 4}},
         {range(0, 0, 0, 2), range(0, 1, 2, 1), range(0, 2, 4, 1)},
         {range(0, 1, 3, 1), range(1, 1, 0, 3)}},
        {{{HostIndex{0}, 1}, {HostIndex{2}}},
         {range(0, 0, 0, 1), range(0, 1, 2, 2), range(1, 1, 0, 3)},
         {range(0, 0, 1, 1)}},
        {{{HostIndex{1}, 5}}, {range(0, 0, 0, 2), range(0, 2, 4, 1)}, {}},
        {{{HostIndex{1}, 1}, {HostIndex{1}, 3}},  // the larger number counts
         {range(0, 0, 0, 2), range(0, 1, 2, 2), range(0, 2, 4, 1)},
         {range(1, 1, 0, 3)}},
        {{{HostIndex{1}, 1}, {HostIndex{1}}}, {range(0, 0, 0, 2), range(0, 2, 4, 1)}, {}},
    };
    for (const auto& row : table) {
        EXPECT_EQ(released(interleaved, row.wish), (Layout{row.stay, {}}));
        EXPECT_EQ(released(interleaved, row.wish, ShrinkKind::park),
                  (Layout{row.stay, row.parked}));
    }
}

TEST(PlanRelease, RefusesWhatCannotBe) {
    const struct {
        std::vector<Release> wish;
        const char* reason;
    } table[] = {
        {{}, "cannot release hosts (none was named); name at least one"},
        {{{HostIndex{1}, 6}}, "cannot release 6 ranks of host host1 (the job has 5 ranks there)"},
        {{{HostIndex{0}, 0}}, "cannot release 0 ranks of host host0 (the job has 2 ranks there)"},
        {{{HostIndex{0}}, {HostIndex{1}}, {HostIndex{2}}},
         "cannot release 3 hosts (all 8 ranks of the job are there); keep at least one rank, or "
         "end the job"},
        {{{HostIndex{0}, 2}, {HostIndex{1}, 5}, {HostIndex{2}, 1}},
         "cannot release 3 hosts (all 8 ranks of the job are there); keep at least one rank, or "
         "end the job"},
    };
    for (const auto& row : table)
        EXPECT_EQ(std::get<ShrinkRefusal>(plan_release(interleaved, row.wish, hosts)).reason,
                  row.reason);
    const auto elsewhere = Layout::of({group(0, 0, 2)});
    EXPECT_EQ(std::get<ShrinkRefusal>(plan_release(elsewhere, {{HostIndex{1}}}, hosts)).reason,
              "cannot release the ranks of host host1 (the job has 0 ranks there)");
}

RC_GTEST_PROP(PlanRelease, TakesSoManyOfEachHostAndNoneElsewhere, ()) {
    const auto now = some_layout();
    std::vector<Release> wish;
    std::map<HostIndex, int> wanted;
    for (const auto host : now.hosts()) {
        if (*rc::gen::inRange(0, 3) == 0) continue;
        const int there = now.ranks_on(host);
        const int ranks = *rc::gen::inRange(1, there + 1);
        const bool all = *rc::gen::arbitrary<bool>();
        wish.push_back({host, all ? std::nullopt : std::optional(ranks)});
        wanted[host] = all ? there : ranks;
    }
    int going = 0;
    for (const auto& [host, ranks] : wanted) going += ranks;
    const auto kind = *rc::gen::elementOf(all_shrink_kinds);
    const auto plan = plan_release(now, wish, slots({9, 9, 9, 9}), kind);
    const auto* shrink = std::get_if<ShrinkPlan>(&plan);
    RC_ASSERT((shrink != nullptr) == (going > 0 && going < now.size()));
    if (shrink == nullptr) return;
    const auto& after = shrink->after;
    std::map<HostIndex, Rank> last_that_stays;
    for (int rank = 0; rank < now.size(); ++rank)
        if (after.rank_of(now.at(Rank{rank})))
            last_that_stays[now.host_of(Rank{rank})] = Rank{rank};
    for (const auto host : now.hosts())
        RC_ASSERT(after.ranks_on(host) == now.ranks_on(host) - wanted[host]);
    // The highest ranks of a host go, and those that stay keep their order.
    std::optional<Rank> last;
    for (int rank = 0; rank < now.size(); ++rank) {
        const auto now_at = after.rank_of(now.at(Rank{rank}));
        const auto host = now.host_of(Rank{rank});
        RC_ASSERT(now_at.has_value() ==
                  (last_that_stays.contains(host) && Rank{rank} <= last_that_stays[host]));
        if (!now_at) continue;
        RC_ASSERT(!last || *last < *now_at);
        last = now_at;
    }
}

}  // namespace
}  // namespace ductile::plan::shrink_plan_test
