#include "plan/rank_order.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "plan/connect_rounds.hpp"

namespace ductile::plan::rank_order_test {
namespace {

using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Rank;

core::Group group(int id, int host, int ranks) {
    return {GroupId{id}, HostIndex{host}, ranks};
}

/// The example of Table 2 of parallel-spawning-strategies: 2 ranks run on host 0, and S of them
/// start on each host.
const auto before_table_2 = core::Layout::of({group(0, 0, 2)});
std::vector<Group> added_in_table_2() {
    std::vector<Group> added;
    for (const int s : {2, 2, 8, 12, 3, 3, 4, 4, 6, 3}) {
        const int n = static_cast<int>(added.size());
        added.push_back(group(n + 1, n, s));
    }
    return added;
}

TEST(RankOrder, Table2) {
    const struct {
        int id, in_group, rank, key;
    } rows[] = {
        {1, 0, 2, 0},   {1, 1, 3, 1},    {2, 0, 4, 2},    {3, 0, 6, 4},
        {3, 7, 13, 11}, {4, 11, 25, 23}, {5, 0, 26, 24},  {7, 0, 32, 30},
        {9, 5, 45, 43}, {10, 0, 46, 44}, {10, 2, 48, 46},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(
            final_rank(before_table_2, added_in_table_2(), GroupId{row.id}, Rank{row.in_group}),
            Rank{row.rank});
        EXPECT_EQ(order_key(added_in_table_2(), GroupId{row.id}, Rank{row.in_group}), row.key);
    }
}

TEST(RankOrder, SourcesKeepTheirRanks) {
    const auto before =
        core::Layout::of({group(3, 0, 2), group(1, 1, 3)});  // order of ranks is that of the list
    const std::vector<Group> added{group(4, 2, 2)};
    EXPECT_EQ(final_rank(before, added, GroupId{3}, Rank{1}), Rank{1});
    EXPECT_EQ(final_rank(before, added, GroupId{1}, Rank{0}), Rank{2});
    EXPECT_EQ(final_rank(before, added, GroupId{1}, Rank{2}), Rank{4});
    EXPECT_EQ(final_rank(before, added, GroupId{4}, Rank{0}), Rank{5});
}

TEST(RankOrder, CountsOnThoseThatHaveStayed) {
    const auto before =
        core::Layout::of({group(0, 0, 2), group(1, 1, 3)}).without({Rank{0}, Rank{3}});
    const std::vector<Group> added{group(4, 2, 2)};
    EXPECT_EQ(final_rank(before, added, GroupId{0}, Rank{1}), Rank{0});
    EXPECT_EQ(final_rank(before, added, GroupId{1}, Rank{2}), Rank{2});
    EXPECT_EQ(final_rank(before, added, GroupId{4}, Rank{1}), Rank{4});
    EXPECT_THROW(final_rank(before, added, GroupId{1}, Rank{1}), std::out_of_range);
}

TEST(RankOrder, RefusesWhatIsNotThere) {
    EXPECT_THROW(order_key(added_in_table_2(), GroupId{0}, Rank{0}), std::out_of_range);
    EXPECT_THROW(order_key(added_in_table_2(), GroupId{1}, Rank{2}), std::out_of_range);
    EXPECT_THROW(order_key(added_in_table_2(), GroupId{1}, Rank{-1}), std::out_of_range);
    EXPECT_THROW(final_rank(before_table_2, {}, GroupId{1}, Rank{0}), std::out_of_range);
    EXPECT_THROW(final_rank(before_table_2, {}, GroupId{0}, Rank{2}), std::out_of_range);
}

TEST(RankOrder, NoRankTwiceForAllSizesTo64Groups) {
    for (int sources = 1; sources <= 64; sources += 9)
        for (int groups = 1; groups <= 64; ++groups) {
            const auto before = core::Layout::of({group(0, 0, sources)});
            std::vector<Group> added;
            for (int n = 1; n <= groups; ++n) added.push_back(group(n, n, 1 + n % 3));
            const auto after = before.with(added);
            std::vector<bool> taken(static_cast<std::size_t>(after.size()), false);
            for (int at = 0; at < after.size(); ++at) {
                const auto who = after.at(Rank{at});
                const auto rank = final_rank(before, added, who.group, who.rank);
                EXPECT_EQ(rank, Rank{at});
                EXPECT_FALSE(taken.at(static_cast<std::size_t>(rank.value)));
                taken.at(static_cast<std::size_t>(rank.value)) = true;
            }
            EXPECT_EQ(std::count(taken.begin(), taken.end(), false), 0);
        }
}

TEST(RankOrder, PutsTheMergedOrderOfTheConnectionRight) {
    for (int groups = 1; groups <= 64; ++groups) {
        std::vector<Group> added;
        for (int n = 0; n < groups; ++n) added.push_back(group(n + 1, n, 1 + n % 4));
        const auto rounds = connect_rounds(groups);
        std::vector<std::pair<int, int>>
            merged;  // key and group, in the order of the merged communicator
        for (const int position : set_before(rounds, 0, rounds.rounds()))
            for (int r = 0; r < added[static_cast<std::size_t>(position)].ranks; ++r)
                merged.emplace_back(order_key(added, GroupId{position + 1}, Rank{r}), position);
        std::sort(merged.begin(), merged.end());  // what MPI_Comm_split does with the keys
        for (std::size_t at = 0; at < merged.size(); ++at) {
            EXPECT_EQ(merged[at].first, static_cast<int>(at)) << "keys are 0, 1, 2, ...";
            if (at > 0) {
                EXPECT_LE(merged[at - 1].second, merged[at].second) << "by group";
            }
        }
    }
}

RC_GTEST_PROP(RankOrder, DoesNotDependOnTheOrderOfTheList, ()) {
    const auto sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 9)));
    std::vector<Group> added;
    for (const int ranks : sizes)
        added.push_back(group(static_cast<int>(added.size()) + 5, 0, ranks));
    std::vector<std::size_t> order(added.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t n = order.size(); n > 1; --n)
        std::swap(order[n - 1], order[*rc::gen::inRange<std::size_t>(0, n)]);
    std::vector<Group> shuffled;
    for (const auto at : order) shuffled.push_back(added[at]);
    for (const auto& one : added)
        RC_ASSERT(order_key(shuffled, one.id, Rank{one.ranks - 1}) ==
                  order_key(added, one.id, Rank{one.ranks - 1}));
}

}  // namespace
}  // namespace ductile::plan::rank_order_test
