#include "plan/transfer_slice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "partition_gen.hpp"

namespace ductile::plan::transfer_slice_test {
namespace {

using core::Rank;

std::vector<Rank> first_ranks(int n) {
    std::vector<Rank> ranks;
    for (int rank = 0; rank < n; ++rank) ranks.emplace_back(rank);
    return ranks;
}

std::int64_t elements_in(const std::vector<Transfer>& list) {
    std::int64_t all = 0;
    for (const auto& t : list) all += t.count;
    return all;
}

/// Each element by itself, with where it goes.
std::vector<Transfer> single(const std::vector<Transfer>& list) {
    std::vector<Transfer> each;
    for (const auto& t : list)
        for (std::int64_t i = 0; i < t.count; ++i)
            each.push_back({t.source, t.target, t.begin + i, 1});
    std::ranges::sort(each, {}, &Transfer::begin);
    return each;
}

std::map<Rank, std::vector<Transfer>> by_peer(const std::vector<Transfer>& list, Rank me) {
    std::map<Rank, std::vector<Transfer>> peers;
    for (const auto& t : list) peers[t.source == me ? t.target : t.source].push_back(t);
    return peers;
}

TEST(SliceOf, CutsAShareOfEachPair) {
    const auto t = [](int from, int to, std::int64_t begin, std::int64_t count) {
        return Transfer{Rank{from}, Rank{to}, begin, count};
    };
    const TransferPlan mine{{t(0, 1, 10, 4), t(0, 2, 14, 2), t(0, 1, 20, 4)}, {t(0, 0, 0, 5)}};
    EXPECT_EQ(slice_of(mine, {0, 2}),
              (TransferPlan{{t(0, 1, 10, 4), t(0, 2, 14, 1)}, {t(0, 0, 0, 2)}}));
    EXPECT_EQ(slice_of(mine, {1, 2}),
              (TransferPlan{{t(0, 2, 15, 1), t(0, 1, 20, 4)}, {t(0, 0, 2, 3)}}));
    EXPECT_EQ(slice_of(mine, {}), mine);
}

TEST(SliceOf, CountsBeyond31Bits) {
    constexpr auto many = std::int64_t{1} << 58;
    const TransferPlan mine{{{Rank{0}, Rank{1}, 0, many}}, {}};
    const auto last = slice_of(mine, {1023, 1024});
    ASSERT_EQ(last.sent.size(), 1U);
    EXPECT_EQ(last.sent[0].begin, many / 1024 * 1023);
    EXPECT_EQ(last.sent[0].count, many / 1024);
}

RC_GTEST_PROP(SliceOf, SlicesAreThePlanAndBothRanksCutAlike, ()) {
    const auto elements = *rc::gen::inRange<std::int64_t>(1, 200);
    const auto sources = first_ranks(*rc::gen::inRange(1, 6));
    const auto targets = first_ranks(*rc::gen::inRange(1, 6));
    const auto from = some_partition(elements, static_cast<int>(sources.size()));
    const auto to = some_partition(elements, static_cast<int>(targets.size()));
    const int of = *rc::gen::inRange(1, 12);
    const auto plan_of = [&](Rank rank) {
        return plan_transfer_of(rank, from, sources, to, targets);
    };
    const auto ranks = first_ranks(static_cast<int>(std::max(sources.size(), targets.size())));
    for (const auto me : ranks) {
        const auto mine = plan_of(me);
        std::vector<Transfer> sent, kept;
        for (int index = 0; index < of; ++index) {
            const auto slice = slice_of(mine, {index, of});
            for (const auto& one : single(slice.sent)) sent.push_back(one);
            for (const auto& one : single(slice.kept)) kept.push_back(one);
            RC_ASSERT(std::abs(elements_in(slice.kept) * of - elements_in(mine.kept)) <= of);
            for (const auto& [peer, all] : by_peer(mine.sent, me)) {
                const auto here = by_peer(slice.sent, me)[peer];
                const auto there = by_peer(slice_of(plan_of(peer), {index, of}).sent, peer)[me];
                const auto both_ways = [](const std::vector<Transfer>& list, Rank source) {
                    std::vector<Transfer> one_way;
                    for (const auto& t : list)
                        if (t.source == source) one_way.push_back(t);
                    return one_way;
                };
                RC_ASSERT(here == there);
                for (const auto source : {me, peer})
                    RC_ASSERT(std::abs(elements_in(both_ways(here, source)) * of -
                                       elements_in(both_ways(all, source))) <= of);
            }
        }
        std::ranges::sort(sent, {}, &Transfer::begin);
        std::ranges::sort(kept, {}, &Transfer::begin);
        RC_ASSERT(sent == single(mine.sent));
        RC_ASSERT(kept == single(mine.kept));
    }
}

}  // namespace
}  // namespace ductile::plan::transfer_slice_test
