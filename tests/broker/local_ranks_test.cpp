#include "broker/local_ranks.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ductile::broker::local_ranks_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

const HostIndex host{0}, other{1};

GroupState& add(GroupTable& table, const core::Group& group) {
    const auto numbers = LocalRankAllotment(table, false).allot(group);
    auto& state = table.add(group);
    for (std::size_t i = 0; i < numbers.size(); ++i) state.ranks[i].local_rank = numbers[i];
    return state;
}

std::vector<int> numbers(const GroupState& state, HostIndex on = host) {
    std::vector<int> values;
    for (const auto rank : local_ranks_on(on, state)) values.push_back(rank.value);
    return values;
}

TEST(LocalRanks, TheSmallestThatAreFree) {
    GroupTable table;
    EXPECT_EQ(numbers(add(table, {GroupId{0}, host, 1})), std::vector{0});
    auto& second = add(table, {GroupId{1}, host, 2});
    EXPECT_EQ(numbers(second), (std::vector{1, 2}));
    second.ranks[0].ended = true;
    EXPECT_EQ(numbers(add(table, {GroupId{2}, host, 2})), (std::vector{1, 3}));
}

TEST(LocalRanks, EachHostHasItsOwn) {
    GroupTable table;
    const auto first = add(table, {GroupId{0}, host, 3, {{other, 1}}});
    const auto second = add(table, {GroupId{1}, other, 2, {{host, 1}}});
    EXPECT_EQ(numbers(first), (std::vector{0, 1}));
    EXPECT_EQ(numbers(first, other), std::vector{0});
    EXPECT_EQ(numbers(second, other), std::vector{1});
    EXPECT_EQ(numbers(second), std::vector{2});
}

resize::ResizePlan plan(const core::Layout& before, const core::Layout& after,
                        const std::vector<core::Group>& added) {
    resize::ResizePlan made;
    made.before = before;
    made.after = after;
    made.added = added;
    return made;
}

TEST(LocalRanks, OfAllProcessesAfterAResize) {
    GroupTable table;
    const core::Group first{GroupId{0}, host, 3};
    add(table, first).role = GroupRole::member;
    add(table, {GroupId{1}, host, 1}).role = GroupRole::child;
    const auto before = core::Layout::of({first});
    const core::Group next{GroupId{2}, host, 3, {{other, 1}}};
    const auto grown = local_ranks_after(plan(before, before.with({next}), {next}), table);
    const auto of = [&grown](int group, int rank) {
        return grown.of({GroupId{group}, Rank{rank}});
    };
    EXPECT_EQ(of(0, 2), 2);
    EXPECT_EQ(of(2, 0), 4);
    EXPECT_EQ(of(2, 1), 5);
    EXPECT_EQ(of(2, 2), 0);
    EXPECT_EQ(of(1, 0), std::nullopt) << "a child is no part of the layout";
    EXPECT_EQ(of(2, 3), std::nullopt);
    EXPECT_EQ(grown.ranges().size(), 3u);
    const auto parked = before.without({}, {Rank{1}});
    EXPECT_EQ(local_ranks_after(plan(before, parked, {}), table).of({GroupId{0}, Rank{1}}), 1);
}

TEST(LocalRanks, RanksThatReplaceAllTakeTheirs) {
    GroupTable table;
    const core::Group first{GroupId{0}, host, 2};
    add(table, first).role = GroupRole::member;
    add(table, {GroupId{1}, host, 1}).role = GroupRole::child;
    const core::Group next{GroupId{2}, host, 3};
    const auto all =
        local_ranks_after(plan(core::Layout::of({first}), core::Layout::of({next}), {next}), table);
    EXPECT_EQ(all.of({GroupId{2}, Rank{0}}), 0);
    EXPECT_EQ(all.of({GroupId{2}, Rank{1}}), 1);
    EXPECT_EQ(all.of({GroupId{2}, Rank{2}}), 3);
}

TEST(LocalRanks, AChildLeavesOutThoseOfAnOpenResize) {
    GroupTable table;
    const core::Group first{GroupId{0}, host, 1}, next{GroupId{1}, host, 2};
    add(table, first).role = GroupRole::member;
    const auto before = core::Layout::of({first});
    auto open = plan(before, before.with({next}), {next});
    open.after.local_ranks = local_ranks_after(open, table);
    LocalRankAllotment allotment(table, false);
    allotment.reserve(open);
    EXPECT_EQ(allotment.allot({GroupId{2}, host, 2}), (std::vector{3, 4}));
}

TEST(LocalRanks, AHostThatIsLostHoldsNone) {
    GroupTable table;
    add(table, {GroupId{0}, host, 2, {{other, 1}}}).over_on.insert(host);
    EXPECT_EQ(numbers(add(table, {GroupId{1}, host, 2, {{other, 1}}})), std::vector{0});
    EXPECT_EQ(numbers(*table.find(GroupId{1}), other), std::vector{1});
}

// Whatever starts and ends: the living ranks of a host differ, and their numbers are below the most
// that ever lived there at one time.
TEST(LocalRanks, AreDifferentAndSmall) {
    std::mt19937 random(5);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int tries = 0; tries < 300; ++tries) {
        GroupTable table;
        int most = 0;
        for (int group = 0; group < 12; ++group) {
            add(table, {GroupId{group}, host, 1 + below(4)});
            std::set<int> seen;
            int living = 0;
            for (const auto& [id, state] : table.all())
                for (const auto& rank : state.ranks) {
                    if (rank.ended) continue;
                    ++living;
                    EXPECT_TRUE(seen.insert(*rank.local_rank).second);
                }
            most = std::max(most, living);
            EXPECT_LT(*seen.rbegin(), most);
            for (auto& [id, state] : table.all())
                for (auto& rank : state.ranks) rank.ended = rank.ended || below(3) == 0;
        }
    }
}

}  // namespace
}  // namespace ductile::broker::local_ranks_test
