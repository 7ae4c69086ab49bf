#include "core/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace ductile::core::layout_test {
namespace {

Group group(int id, int host, int ranks) {
    return {GroupId{id}, HostIndex{host}, ranks};
}

RankRange range(int group, int host, int first, int ranks) {
    return {GroupId{group}, HostIndex{host}, Rank{first}, ranks};
}

Process process(int group, int rank) {
    return {GroupId{group}, Rank{rank}};
}

std::set<Rank> ranks(const std::vector<int>& values) {
    std::set<Rank> all;
    for (const int value : values) all.insert(Rank{value});
    return all;
}

/// Three groups on two hosts, ids not in order: ranks 0-1, 2-4 and 5.
const Layout three = Layout::of({group(4, 1, 2), group(2, 0, 3), group(7, 1, 1)});

/// Ranks 0-1 on host 0, 2-3 on host 1, 4 on host 2.
const Group wide{GroupId{0}, HostIndex{0}, 5, {{HostIndex{1}, 2}, {HostIndex{2}, 1}}};

TEST(Layout, AnswersForThreeGroups) {
    EXPECT_EQ(three.size(), 6);
    EXPECT_FALSE(three.empty());
    EXPECT_EQ(three.parked_size(), 0);
    EXPECT_EQ(three.groups(), (std::vector<GroupId>{GroupId{2}, GroupId{4}, GroupId{7}}));
    const Process holders[] = {process(4, 0), process(4, 1), process(2, 0),
                               process(2, 1), process(2, 2), process(7, 0)};
    const int hosts[] = {1, 1, 0, 0, 0, 1};
    for (int rank = 0; rank < 6; ++rank) {
        EXPECT_EQ(three.at(Rank{rank}), holders[rank]);
        EXPECT_EQ(three.rank_of(holders[rank]), Rank{rank});
        EXPECT_EQ(three.host_of(Rank{rank}), HostIndex{hosts[rank]});
        EXPECT_TRUE(three.holds(holders[rank]));
    }
    EXPECT_EQ(three.ranks_on(HostIndex{0}), 3);
    EXPECT_EQ(three.ranks_on(HostIndex{1}), 3);
    EXPECT_EQ(three.ranks_on(HostIndex{2}), 0);
    EXPECT_EQ(three.hosts(), (std::vector<HostIndex>{HostIndex{1}, HostIndex{0}}));
    EXPECT_TRUE(three.holds(GroupId{2}));
    EXPECT_FALSE(three.holds(GroupId{1}));
}

TEST(Layout, RefusesRanksThatAreNotThere) {
    for (const int rank : {6, -1}) {
        EXPECT_THROW((void)three.at(Rank{rank}), std::out_of_range);
        EXPECT_THROW((void)three.host_of(Rank{rank}), std::out_of_range);
    }
    EXPECT_THROW((void)Layout{}.at(Rank{0}), std::out_of_range);
    for (const auto& stranger : {process(2, 3), process(2, -1), process(0, 0)}) {
        EXPECT_EQ(three.rank_of(stranger), std::nullopt);
        EXPECT_FALSE(three.holds(stranger));
    }
}

TEST(Layout, OfNoGroup) {
    EXPECT_TRUE(Layout{}.empty());
    EXPECT_EQ(Layout{}.size(), 0);
    EXPECT_EQ(Layout{}.hosts(), (std::vector<HostIndex>{}));
    EXPECT_EQ(Layout{}.groups(), (std::vector<GroupId>{}));
    EXPECT_EQ(Layout::of({}), Layout{});
}

TEST(Layout, ProcessesAreNamedByGroupAndRank) {
    EXPECT_EQ(to_string(process(2, 1)), "g2.1");
}

TEST(Layout, AGroupMaySpanHosts) {
    EXPECT_EQ(wide.shares(),
              (std::vector<Share>{{HostIndex{0}, 2}, {HostIndex{1}, 2}, {HostIndex{2}, 1}}));
    EXPECT_EQ(wide.ranges(),
              (std::vector<RankRange>{range(0, 0, 0, 2), range(0, 1, 2, 2), range(0, 2, 4, 1)}));
    const int holders[] = {0, 0, 1, 1, 2};
    for (int rank = 0; rank < 5; ++rank)
        EXPECT_EQ(wide.host_of(Rank{rank}), HostIndex{holders[rank]});
    EXPECT_THROW((void)wide.host_of(Rank{5}), std::out_of_range);
    EXPECT_THROW((void)wide.host_of(Rank{-1}), std::out_of_range);
    EXPECT_TRUE(wide.spans_hosts());
    EXPECT_EQ(wide.ranks_on(HostIndex{1}), 2);
    EXPECT_EQ(wide.ranks_on(HostIndex{3}), 0);
    const auto layout = Layout::of({wide, group(1, 1, 3)});
    EXPECT_EQ(layout.size(), 8);
    EXPECT_EQ(layout.rank_of(process(1, 0)), Rank{5});
    EXPECT_EQ(layout.rank_of(process(0, 4)), Rank{4});
    EXPECT_EQ(layout.ranks_on(HostIndex{0}), 2);
    EXPECT_EQ(layout.ranks_on(HostIndex{1}), 5);
    EXPECT_EQ(layout.hosts(), (std::vector<HostIndex>{HostIndex{0}, HostIndex{1}, HostIndex{2}}));
    EXPECT_EQ(ranks_of({wide, group(1, 1, 3)}), 8);
}

TEST(Layout, AGroupOnOneHostIsAllThere) {
    const auto small = group(1, 3, 2);
    EXPECT_FALSE(small.spans_hosts());
    EXPECT_EQ(small.shares(), (std::vector<Share>{{HostIndex{3}, 2}}));
    EXPECT_EQ(small.host_of(Rank{1}), HostIndex{3});
}

TEST(Layout, AnyRanksMayLeaveAndTheOthersKeepTheirOrder) {
    const auto layout = Layout::of({wide, group(1, 1, 3)});
    const struct {
        std::vector<int> leaving;
        std::vector<RankRange> active;
    } table[] = {
        {{}, layout.active},
        {{99, -1}, layout.active},
        {{7}, {range(0, 0, 0, 2), range(0, 1, 2, 2), range(0, 2, 4, 1), range(1, 1, 0, 2)}},
        {{0}, {range(0, 0, 1, 1), range(0, 1, 2, 2), range(0, 2, 4, 1), range(1, 1, 0, 3)}},
        {{0, 1}, {range(0, 1, 2, 2), range(0, 2, 4, 1), range(1, 1, 0, 3)}},  // rank 0's host
        {{6},
         {range(0, 0, 0, 2), range(0, 1, 2, 2), range(0, 2, 4, 1), range(1, 1, 0, 1),
          range(1, 1, 2, 1)}},  // out of the middle of a range
        {{0, 1, 2, 3, 4}, {range(1, 1, 0, 3)}},
        {{1, 3, 4, 5, 7}, {range(0, 0, 0, 1), range(0, 1, 2, 1), range(1, 1, 1, 1)}},
    };
    for (const auto& row : table) {
        EXPECT_EQ(layout.without(ranks(row.leaving)), (Layout{row.active, {}}));
    }
    EXPECT_TRUE(three.without(ranks({0, 1, 2, 3, 4, 5})).empty());
}

TEST(Layout, ParkedRanksSleepBesideActiveOnes) {
    const auto layout = Layout::of({wide, group(1, 1, 3)});
    const auto parked = layout.without({}, ranks({3, 4, 6, 7}));
    EXPECT_EQ(parked.active,
              (std::vector<RankRange>{range(0, 0, 0, 2), range(0, 1, 2, 1), range(1, 1, 0, 1)}));
    EXPECT_EQ(parked.parked, (std::vector<RankRange>{range(0, 1, 3, 1), range(1, 1, 1, 2)}));
    EXPECT_EQ(parked.parked_size(), 3) << "host 2 has none that is active, so its rank leaves";
    EXPECT_EQ(parked.parked_on(HostIndex{1}), 3);
    EXPECT_EQ(parked.parked_on(HostIndex{0}), 0);
    EXPECT_TRUE(parked.holds(process(1, 2)));
    EXPECT_EQ(parked.rank_of(process(1, 2)), std::nullopt);
    EXPECT_EQ(parked.rank_of(process(1, 0)), Rank{3});
    EXPECT_FALSE(parked.holds(process(0, 4)));
    // Parked ranks leave a host together with its last active rank.
    const auto gone = parked.without(ranks({2, 3}));
    EXPECT_EQ(gone, (Layout{{range(0, 0, 0, 2)}, {}}));
    // A group may have only parked ranks left.
    const auto first = layout.without(ranks({2, 3, 4}), ranks({0}));
    EXPECT_EQ(first.groups(), (std::vector<GroupId>{GroupId{0}, GroupId{1}}));
    EXPECT_EQ(first.parked, std::vector{range(0, 0, 0, 1)});
}

TEST(Layout, ParkedRanksComeBackLastAndByGroup) {
    const auto layout = Layout::of({wide, group(1, 1, 3)});
    const auto parked = layout.without({}, ranks({2, 6, 7}));
    EXPECT_EQ(parked.with_back(0), parked);
    const auto one = parked.with_back(1);
    EXPECT_EQ(one.active,
              (std::vector<RankRange>{range(0, 0, 0, 2), range(0, 1, 3, 1), range(0, 2, 4, 1),
                                      range(1, 1, 0, 1), range(0, 1, 2, 1)}));
    EXPECT_EQ(one.parked, std::vector{range(1, 1, 1, 2)});
    EXPECT_EQ(parked.with_back(3).parked, std::vector<RankRange>{});
    EXPECT_THROW(static_cast<void>(parked.with_back(4)), std::out_of_range);
    EXPECT_THROW(static_cast<void>(parked.with_back(-1)), std::out_of_range);
    // The last ranks, parked and back, are where they were.
    EXPECT_EQ(layout.without({}, ranks({6, 7})).with_back(2), layout);
}

TEST(Layout, KnowsTheSlotsOfItsHosts) {
    const Allocation hosts{{{"a", 4}, {"b", 2}, {"c", 8}}};
    const auto layout = Layout::of({{GroupId{0}, HostIndex{2}, 3}, {GroupId{1}, HostIndex{0}, 1}});
    EXPECT_TRUE(layout.slots.empty());
    const auto on = layout.on(hosts);
    EXPECT_EQ(on.slots, (SlotCounts{{HostIndex{0}, 4}, {HostIndex{2}, 8}}));
    EXPECT_EQ(on.active, layout.active);
    EXPECT_EQ(on.without({Rank{3}}).on(hosts).slots, (SlotCounts{{HostIndex{2}, 8}}));
}

TEST(Layout, NewGroupsComeLast) {
    const auto grown = three.with({group(8, 0, 2), group(9, 3, 1)});
    EXPECT_EQ(grown.size(), 9);
    EXPECT_EQ(grown.rank_of(process(7, 0)), Rank{5}) << "sources keep their ranks";
    EXPECT_EQ(grown.rank_of(process(9, 0)), Rank{8});
    EXPECT_EQ(grown.without(ranks({6, 7, 8})), three);
}

TEST(Layout, NewGroupsMayComeBetween) {
    const auto grown = three.with_between({group(8, 0, 2), group(9, 3, 2)},
                                          {Rank{0}, Rank{1}, Rank{3}, Rank{5}, Rank{6}, Rank{9}});
    EXPECT_EQ(grown.size(), 10);
    EXPECT_EQ(grown.rank_of(three.at(Rank{2})), Rank{3}) << "sources keep their order";
    EXPECT_EQ(grown.rank_of(three.at(Rank{5})), Rank{9});
    EXPECT_EQ(grown.rank_of(process(8, 0)), Rank{2});
    EXPECT_EQ(grown.rank_of(process(8, 1)), Rank{4});
    EXPECT_EQ(grown.rank_of(process(9, 1)), Rank{8});
    EXPECT_EQ(grown.without(ranks({2, 4, 7, 8})), three);
    const auto at_the_end = three.with_between({group(8, 0, 1)}, [] {
        std::vector<Rank> same;
        for (int rank = 0; rank < 6; ++rank) same.emplace_back(rank);
        return same;
    }());
    EXPECT_EQ(at_the_end, three.with({group(8, 0, 1)}));
}

TEST(LocalRanks, AreFoundByProcess) {
    LocalRanks numbers;
    numbers.add({GroupId{0}, Rank{0}}, 0);
    numbers.add({GroupId{0}, Rank{1}}, 1);
    numbers.add({GroupId{0}, Rank{3}}, 2);
    numbers.add({GroupId{0}, Rank{4}}, 0);
    numbers.add({GroupId{2}, Rank{5}}, 1);
    EXPECT_EQ(numbers.ranges().size(), 4U);
    EXPECT_EQ(numbers.of({GroupId{0}, Rank{1}}), 1);
    EXPECT_EQ(numbers.of({GroupId{0}, Rank{3}}), 2);
    EXPECT_EQ(numbers.of({GroupId{0}, Rank{4}}), 0);
    EXPECT_EQ(numbers.of({GroupId{2}, Rank{5}}), 1);
    for (const auto& unknown :
         {Process{GroupId{0}, Rank{2}}, Process{GroupId{0}, Rank{5}}, Process{GroupId{1}, Rank{0}},
          Process{GroupId{2}, Rank{4}}, Process{GroupId{2}, Rank{6}}})
        EXPECT_EQ(numbers.of(unknown), std::nullopt) << to_string(unknown);
    EXPECT_EQ(LocalRanks().of({GroupId{0}, Rank{0}}), std::nullopt);
}

TEST(Change, SaysWhoLeavesParksAndComesBack) {
    const auto before = Layout::of({wide, group(1, 1, 3)}).without({}, ranks({6, 7}));
    EXPECT_EQ(change_between(before, before), Change{});
    EXPECT_EQ(change_between(before, before.with({group(2, 3, 1)})), Change{});
    EXPECT_EQ(change_between(before, before.with_back(1)), (Change{{}, {}, {range(1, 1, 1, 1)}}));
    EXPECT_EQ(change_between(before, before.without(ranks({1, 4}), ranks({2}))),
              (Change{{range(0, 0, 1, 1), range(0, 2, 4, 1)}, {range(0, 1, 2, 1)}, {}}));
    EXPECT_EQ(
        change_between(before, Layout::of({group(2, 0, 4)})),
        (Change{
            {range(0, 0, 0, 2), range(0, 1, 2, 2), range(0, 2, 4, 1), range(1, 1, 0, 3)}, {}, {}}))
        << "active and parked ones leave";
    const Change change = change_between(before, before.without(ranks({1, 4})));
    EXPECT_EQ(ranks_in(change.leaving), 2);
    EXPECT_TRUE(holds(change.leaving, process(0, 4)));
    EXPECT_FALSE(holds(change.leaving, process(0, 3)));
}

// Properties of any life of a job.

std::vector<Process> processes_of(const std::vector<RankRange>& ranges) {
    std::vector<Process> all;
    for (const auto& one : ranges)
        for (int i = 0; i < one.ranks; ++i) all.push_back({one.group, Rank{one.first.value + i}});
    return all;
}

bool can_be_joined(const RankRange& one, const RankRange& next) {
    return one.group == next.group && one.host == next.host &&
           one.first.value + one.ranks == next.first.value;
}

void expect_sound(const Layout& layout) {
    for (const auto* ranges : {&layout.active, &layout.parked})
        for (std::size_t i = 0; i < ranges->size(); ++i) {
            RC_ASSERT((*ranges)[i].ranks > 0);
            if (i > 0) RC_ASSERT(!can_be_joined((*ranges)[i - 1], (*ranges)[i]));
        }
    const auto active = processes_of(layout.active), parked = processes_of(layout.parked);
    RC_ASSERT(std::ranges::is_sorted(parked));
    std::set<Process> all(active.begin(), active.end());
    all.insert(parked.begin(), parked.end());
    RC_ASSERT(all.size() == active.size() + parked.size());  // no process is there twice
    RC_ASSERT(static_cast<int>(active.size()) == layout.size());
    RC_ASSERT(static_cast<int>(parked.size()) == layout.parked_size());
    for (const auto& one : layout.parked) {
        RC_ASSERT(layout.ranks_on(one.host) > 0);
        RC_ASSERT(layout.parked_on(one.host) >= one.ranks);
    }
    int on_hosts = 0;
    for (const auto host : layout.hosts()) on_hosts += layout.ranks_on(host);
    RC_ASSERT(on_hosts == layout.size());
    for (int rank = 0; rank < layout.size(); ++rank) {
        const auto who = layout.at(Rank{rank});
        RC_ASSERT(who == active[static_cast<std::size_t>(rank)]);
        RC_ASSERT(layout.rank_of(who) == Rank{rank});
        RC_ASSERT(layout.holds(who) && layout.holds(who.group));
    }
    for (const auto& one : parked) {
        RC_ASSERT(layout.rank_of(one) == std::nullopt);
        RC_ASSERT(layout.holds(one));
    }
    std::set<GroupId> groups;
    for (const auto& one : all) groups.insert(one.group);
    RC_ASSERT(layout.groups() == std::vector<GroupId>(groups.begin(), groups.end()));
}

// Each process of before and after has one fate.
void expect_partition(const Layout& before, const Layout& after) {
    const auto change = change_between(before, after);
    int stay = 0, sleep = 0;
    for (const auto& one : processes_of(before.active)) {
        const bool has_next_step = after.rank_of(one).has_value();
        const bool parks = !has_next_step && after.holds(one);
        RC_ASSERT(holds(change.parking, one) == parks);
        RC_ASSERT(holds(change.leaving, one) == (!has_next_step && !parks));
        stay += has_next_step ? 1 : 0;
    }
    for (const auto& one : processes_of(before.parked)) {
        const bool returns = after.rank_of(one).has_value();
        const bool sleeps = !returns && after.holds(one);
        RC_ASSERT(holds(change.returning, one) == returns);
        RC_ASSERT(holds(change.leaving, one) == (!returns && !sleeps));
        sleep += sleeps ? 1 : 0;
    }
    RC_ASSERT(ranks_in(change.leaving) + ranks_in(change.parking) + stay + sleep +
                  ranks_in(change.returning) ==
              before.size() + before.parked_size());
    for (const auto* ranges : {&change.leaving, &change.parking, &change.returning})
        for (const auto& one : *ranges)
            for (const int end : {0, one.ranks - 1}) {
                const Process who{one.group, Rank{one.first.value + end}};
                const auto rank = before.rank_of(who);
                if (rank) RC_ASSERT(before.host_of(*rank) == one.host);
            }
}

// Those that stay are in their old order, before all others.
void expect_order_kept(const Layout& before, const Layout& after) {
    std::optional<Rank> last;
    for (int rank = 0; rank < after.size(); ++rank) {
        const auto was = before.rank_of(after.at(Rank{rank}));
        if (!was) continue;
        RC_ASSERT(!last || *last < *was);
        last = was;
    }
}

std::set<Rank> some_of(const Layout& layout, int most) {
    std::set<Rank> chosen;
    const int wanted = *rc::gen::inRange(0, most + 1);
    if (*rc::gen::arbitrary<bool>()) {  // the last ones
        for (int i = 0; i < wanted; ++i) chosen.insert(Rank{layout.size() - 1 - i});
    } else {
        for (int i = 0; i < wanted; ++i) chosen.insert(Rank{*rc::gen::inRange(0, layout.size())});
    }
    return chosen;
}

Group some_group(int id) {
    Group made{GroupId{id}, HostIndex{*rc::gen::inRange(0, 4)}, *rc::gen::inRange(1, 4)};
    for (int host = made.host.value + 1; host < 5; ++host)
        if (*rc::gen::inRange(0, 3) == 0) {
            made.elsewhere.push_back({HostIndex{host}, *rc::gen::inRange(1, 4)});
            made.ranks += made.elsewhere.back().ranks;
        }
    return made;
}

RC_GTEST_PROP(Layout, IsSoundAfterAnyLife, ()) {
    auto now = Layout::of({some_group(0)});
    expect_sound(now);
    int next = 1;
    for (int step = 0, steps = *rc::gen::inRange(1, 12); step < steps; ++step) {
        const auto before = now;
        switch (*rc::gen::inRange(0, 5)) {
            case 4: {
                const auto added = some_group(next);
                ++next;
                const auto places =
                    some_of(Layout::of({added}).with({group(next, 0, now.size())}), now.size());
                ++next;
                std::vector<Rank> taken(places.begin(), places.end());
                for (int rank = 0; std::ssize(taken) < now.size(); ++rank)
                    if (!places.contains(Rank{rank})) taken.emplace_back(rank);
                std::ranges::sort(taken);
                now = now.with_between({added}, taken);
                RC_ASSERT(now.size() == before.size() + added.ranks);
                for (int rank = 0; rank < before.size(); ++rank)
                    RC_ASSERT(now.at(taken[static_cast<std::size_t>(rank)]) ==
                              before.at(Rank{rank}));
                break;
            }
            case 0:
                now = now.with({some_group(next)});
                ++next;
                RC_ASSERT(now.without([&] {
                    std::set<Rank> added;
                    for (int rank = before.size(); rank < now.size(); ++rank)
                        added.insert(Rank{rank});
                    return added;
                }()) == before);
                break;
            case 1:
                now = now.without(some_of(now, now.size() - 1));
                break;
            case 2:
                now = now.without(some_of(now, (now.size() - 1) / 2),
                                  some_of(now, (now.size() - 1) / 2));
                break;
            default:
                now = now.with_back(*rc::gen::inRange(0, now.parked_size() + 1));
                RC_ASSERT(now.size() + now.parked_size() == before.size() + before.parked_size());
        }
        expect_sound(now);
        expect_order_kept(before, now);
        expect_partition(before, now);
        RC_ASSERT(!now.empty());
    }
}

RC_GTEST_PROP(Layout, TheLastRanksComeBackWhereTheyWere, ()) {
    auto layout = Layout::of({some_group(0), some_group(1), some_group(2)});
    std::set<Rank> last;
    // The last ranks: as many as can be parked so that each host keeps an active rank.
    for (int rank = layout.size() - 1; rank > 0; --rank) {
        auto more = last;
        more.insert(Rank{rank});
        if (layout.without({}, more).parked_size() != static_cast<int>(more.size())) break;
        last = std::move(more);
    }
    const int asleep = static_cast<int>(last.size());
    RC_ASSERT(layout.without({}, last).with_back(asleep) == layout);
}

}  // namespace
}  // namespace ductile::core::layout_test
