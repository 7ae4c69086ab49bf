#include "plan/transfer_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "partition_gen.hpp"

namespace ductile::plan::transfer_plan_test {
namespace {

using core::Rank;
using Ranks = std::vector<Rank>;

Ranks ranks_from(int first, int count) {
    Ranks ranks;
    for (int n = 0; n < count; ++n) ranks.emplace_back(first + n);
    return ranks;
}

Transfer move(int source, int target, std::int64_t begin, std::int64_t count) {
    return {Rank{source}, Rank{target}, begin, count};
}

TEST(PlanTransfer, Cases) {
    const struct {
        const char* what;
        std::int64_t elements;
        Ranks from, to;
        TransferPlan plan;
    } table[] = {
        {"2 -> 4",
         10,
         ranks_from(0, 2),
         ranks_from(0, 4),
         {{move(0, 1, 3, 2), move(1, 2, 6, 2), move(1, 3, 8, 2)},
          {move(0, 0, 0, 3), move(1, 1, 5, 1)}}},
        {"4 -> 2",
         10,
         ranks_from(0, 4),
         ranks_from(0, 2),
         {{move(1, 0, 3, 2), move(2, 1, 6, 2), move(3, 1, 8, 2)},
          {move(0, 0, 0, 3), move(1, 1, 5, 1)}}},
        {"4 -> 2, the root leaves",
         8,
         ranks_from(0, 4),
         {Rank{2}, Rank{3}},
         {{move(0, 2, 0, 2), move(1, 2, 2, 2), move(2, 3, 4, 2)}, {move(3, 3, 6, 2)}}},
        {"baseline: nothing stays",
         4,
         ranks_from(0, 2),
         ranks_from(2, 2),
         {{move(0, 2, 0, 2), move(1, 3, 2, 2)}, {}}},
        {"same size",
         5,
         ranks_from(0, 2),
         ranks_from(0, 2),
         {{}, {move(0, 0, 0, 3), move(1, 1, 3, 2)}}},
        {"more parts than elements",
         2,
         ranks_from(0, 3),
         ranks_from(0, 5),
         {{}, {move(0, 0, 0, 1), move(1, 1, 1, 1)}}},
        {"no element", 0, ranks_from(0, 3), ranks_from(0, 5), {}},
    };
    for (const auto& row : table) {
        const BlockDistribution from{row.elements, static_cast<int>(row.from.size())};
        const BlockDistribution to{row.elements, static_cast<int>(row.to.size())};
        EXPECT_EQ(plan_transfer(from, row.from, to, row.to), row.plan) << row.what;
    }
}

Partition blocks(std::int64_t elements, int parts) {
    return BlockDistribution{elements, parts};
}

TEST(PlanTransfer, RefusesWhatDoesNotFit) {
    const auto two = ranks_from(0, 2);
    EXPECT_THROW(plan_transfer(blocks(4, 2), two, blocks(5, 2), two), std::invalid_argument);
    EXPECT_THROW(plan_transfer(blocks(4, 3), two, blocks(4, 2), two), std::invalid_argument);
    EXPECT_THROW(plan_transfer(blocks(4, 2), two, blocks(4, 1), two), std::invalid_argument);
    EXPECT_THROW(plan_transfer(blocks(4, 0), {}, blocks(4, 2), two), std::invalid_argument);
    EXPECT_THROW(plan_transfer(blocks(4, 2), {Rank{0}, Rank{0}}, blocks(4, 2), two),
                 std::invalid_argument);
    EXPECT_THROW(plan_transfer(blocks(4, 2), two, blocks(4, 2), {Rank{1}, Rank{1}}),
                 std::invalid_argument);
    EXPECT_THROW(plan_transfer_of(Rank{0}, blocks(4, 2), two, blocks(5, 2), two),
                 std::invalid_argument);
    EXPECT_THROW(plan_transfer_of(Rank{0}, blocks(4, 3), two, blocks(4, 2), two),
                 std::invalid_argument);
}

/// The plan made by walking over every element: what the real one must equal.
TransferPlan element_by_element(const Partition& from, const Ranks& from_at, const Partition& to,
                                const Ranks& to_at) {
    const auto owners = [](const Partition& partition, const Ranks& at) {
        std::vector<Rank> owner(static_cast<std::size_t>(partition.elements()));
        for (int part = 0; part < partition.parts(); ++part)
            for (const auto& range : partition.ranges(part))
                for (auto element = range.begin; element < range.end; ++element)
                    owner[static_cast<std::size_t>(element)] = at[static_cast<std::size_t>(part)];
        return owner;
    };
    const auto source = owners(from, from_at);
    const auto target = owners(to, to_at);
    TransferPlan plan;
    for (std::size_t e = 0; e < source.size(); ++e) {
        auto& list = source[e] == target[e] ? plan.kept : plan.sent;
        if (e > 0 && source[e - 1] == source[e] && target[e - 1] == target[e])
            ++list.back().count;
        else
            list.push_back({source[e], target[e], static_cast<std::int64_t>(e), 1});
    }
    return plan;
}

/// Entries of a plan that name a rank, for each rank.
std::map<Rank, TransferPlan> by_rank(const TransferPlan& plan) {
    std::map<Rank, TransferPlan> parts;
    for (const auto& transfer : plan.sent) {
        parts[transfer.source].sent.push_back(transfer);
        parts[transfer.target].sent.push_back(transfer);
    }
    for (const auto& transfer : plan.kept) parts[transfer.source].kept.push_back(transfer);
    return parts;
}

void check(const Partition& from, const Ranks& from_at, const Partition& to, const Ranks& to_at) {
    const auto plan = plan_transfer(from, from_at, to, to_at);
    ASSERT_EQ(plan, element_by_element(from, from_at, to, to_at));
    ASSERT_TRUE(moves_each_once(plan, from, from_at, to, to_at));
    auto parts = by_rank(plan);
    const int last = std::max(std::ranges::max(from_at).value, std::ranges::max(to_at).value);
    for (int rank = -1; rank <= last + 1; ++rank)
        ASSERT_EQ(plan_transfer_of(Rank{rank}, from, from_at, to, to_at), parts[Rank{rank}])
            << "rank " << rank << ", " << from.elements() << " elements, " << from.parts() << " -> "
            << to.parts();
}

void check(std::int64_t elements, const Ranks& from_at, const Ranks& to_at) {
    check(blocks(elements, static_cast<int>(from_at.size())), from_at,
          blocks(elements, static_cast<int>(to_at.size())), to_at);
}

TEST(PlanTransfer, AllSizesTo64OnKeptRanks) {
    for (int before = 1; before <= 64; ++before)
        for (int after = 1; after <= 64; ++after) {
            check(97, ranks_from(0, before), ranks_from(0, after));
            if (HasFatalFailure()) return;
        }
}

TEST(PlanTransfer, AllSmallSizesBaselineAndWithoutTheFirstRanks) {
    for (std::int64_t elements : {0, 1, 7, 12, 13})
        for (int before = 1; before <= 13; ++before)
            for (int after = 1; after <= 13; ++after) {
                check(elements, ranks_from(0, before), ranks_from(before, after));
                if (after < before)
                    check(elements, ranks_from(0, before), ranks_from(before - after, after));
                if (HasFatalFailure()) return;
            }
}

/// Ranks in ascending order: each of 0 .. 39 with probability 1/2, but at least one.
Ranks some_ranks() {
    Ranks ranks;
    for (int rank = 0; rank < 40; ++rank)
        if (*rc::gen::arbitrary<bool>()) ranks.emplace_back(rank);
    if (ranks.empty()) ranks.emplace_back(*rc::gen::inRange(0, 40));
    return ranks;
}

/// In any order: new ranks may come between those that are there.
Ranks some_targets() {
    auto ranks = some_ranks();
    if (*rc::gen::arbitrary<bool>()) return ranks;
    for (std::size_t i = ranks.size(); i > 1; --i)
        std::swap(ranks[i - 1], ranks[*rc::gen::inRange<std::size_t>(0, i)]);
    return ranks;
}

RC_GTEST_PROP(PlanTransfer, EachRanksPartIsItsShareOfTheWhole, ()) {
    check(*rc::gen::inRange<std::int64_t>(0, 300), some_ranks(), some_targets());
    RC_ASSERT(!::testing::Test::HasFatalFailure());
}

// From any rule to any other: what is sent is what the target did not hold, and no more.
RC_GTEST_PROP(PlanTransfer, IsThatOfAWalkOverAllElementsForEveryRule, ()) {
    const auto elements = *rc::gen::inRange<std::int64_t>(0, 200);
    const auto from_at = some_ranks(), to_at = some_targets();
    check(some_partition(elements, static_cast<int>(from_at.size())), from_at,
          some_partition(elements, static_cast<int>(to_at.size())), to_at);
    RC_ASSERT(!::testing::Test::HasFatalFailure());
}

TEST(PlanTransfer, FromRowsToColumns) {
    const auto rows = Partition::grid({2, 4}, {2, 1});
    const auto columns = Partition::grid({2, 4}, {1, 2});
    EXPECT_EQ(
        plan_transfer(rows, ranks_from(0, 2), columns, ranks_from(0, 2)),
        (TransferPlan{{move(0, 1, 2, 2), move(1, 0, 4, 2)}, {move(0, 0, 0, 2), move(1, 1, 6, 2)}}));
}

TEST(PlanTransfer, AHundredThousandRanksAnd2ToThe62Elements) {
    const std::int64_t elements = std::int64_t{1} << 62;
    const BlockDistribution from{elements, 100'000};
    const BlockDistribution to{elements, 77'777};
    const auto from_at = ranks_from(0, from.parts);
    const auto to_at = ranks_from(0, to.parts);
    const auto plan = plan_transfer(from, from_at, to, to_at);
    EXPECT_TRUE(moves_each_once(plan, from, from_at, to, to_at));
    EXPECT_LE(plan.sent.size() + plan.kept.size(),
              static_cast<std::size_t>(from.parts + to.parts - 1));
    auto parts = by_rank(plan);
    for (const int rank : {0, 1, 2, 50'000, 77'776, 77'777, 99'999})
        EXPECT_EQ(plan_transfer_of(Rank{rank}, from, from_at, to, to_at), parts[Rank{rank}])
            << rank;
}

TEST(PlanTransfer, PredicateSeesWhatIsWrong) {
    const BlockDistribution from{10, 2};
    const BlockDistribution to{10, 4};
    const auto sources = ranks_from(0, 2);
    const auto targets = ranks_from(0, 4);
    const auto right = plan_transfer(from, sources, to, targets);
    const auto accepts = [&](const TransferPlan& plan) {
        return moves_each_once(plan, from, sources, to, targets);
    };
    ASSERT_TRUE(accepts(right));
    auto wrong = right;
    wrong.sent.pop_back();
    EXPECT_FALSE(accepts(wrong)) << "the end is missing";
    wrong = right;
    wrong.sent.push_back(wrong.sent.front());
    EXPECT_FALSE(accepts(wrong)) << "one twice";
    wrong = right;
    ++wrong.kept.front().count;
    EXPECT_FALSE(accepts(wrong)) << "an overlap";
    wrong = right;
    wrong.sent.front().target = Rank{2};
    EXPECT_FALSE(accepts(wrong)) << "to the wrong rank";
    wrong = right;
    wrong.sent.back().count += 5;
    EXPECT_FALSE(accepts(wrong)) << "beyond the end";
}

}  // namespace
}  // namespace ductile::plan::transfer_plan_test
