#include "plan/rule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "ductile/error.hpp"

namespace ductile::plan::rule_test {
namespace {

TEST(Rule, names_and_partitions) {
    const struct {
        Rule rule;
        const char* name;
        Partition of_12_in_3;
    } table[] = {
        {Rule(), "blocks", BlockDistribution{12, 3}},
        {cyclic_rule(2), "blocks of 2 in turn", Partition::cyclic(12, 3, 2)},
        {weighted_rule([](int parts) {
             std::vector<std::int64_t> weights(static_cast<std::size_t>(parts));
             std::iota(weights.begin(), weights.end(), 1);
             return weights;
         }),
         "blocks by weights", Partition::weighted(12, {1, 2, 3})},
        {listed_rule([](int parts, int part) {
             const std::int64_t length = 12 / parts;
             return std::vector<Range>{{length * part, length * (part + 1)}};
         }),
         "ranges", Partition::listed(12, {{{0, 4}}, {{4, 8}}, {{8, 12}}})},
        {dimension_rule({2, 6}, 1), "dimension 1 of 2 x 6", Partition::grid({2, 6}, {1, 3})},
        {grid_rule({2, 6}), "a grid over 2 x 6", Partition::grid({2, 6}, {1, 3})},
    };
    for (const auto& row : table) {
        EXPECT_EQ(row.rule.name(), row.name);
        EXPECT_EQ(row.rule.partition(12, 3), row.of_12_in_3) << row.name;
    }
}

TEST(Rule, by_hosts_goes_by_where_ranks_are) {
    // Ranks 0 and 2 on host 5, of 4 slots; rank 1 on host 3, whose slots are not known.
    core::Layout ranks;
    ranks.active = {{core::GroupId{0}, core::HostIndex{5}, core::Rank{0}, 1},
                    {core::GroupId{0}, core::HostIndex{3}, core::Rank{1}, 1},
                    {core::GroupId{0}, core::HostIndex{5}, core::Rank{2}, 1}};
    ranks.slots[core::HostIndex{5}] = 4;
    const std::vector<RankHost> hosts{{5, 4, 2}, {3, 1, 1}, {5, 4, 2}};
    EXPECT_EQ(hosts_of_ranks(ranks), hosts);

    const auto by_number = host_weighted_rule([](const std::vector<RankHost>& on) {
        std::vector<std::int64_t> weights;
        for (const auto& one : on) weights.push_back(one.host);
        return weights;
    });
    EXPECT_EQ(by_number.name(), "blocks by hosts");
    EXPECT_TRUE(by_number.goes_by_hosts());
    EXPECT_FALSE(by_number.is_blocks());
    EXPECT_EQ(by_number.partition(26, 3, &ranks), Partition::weighted(26, {5, 3, 5}));
    EXPECT_EQ(slots_rule().partition(15, 3, &ranks), Partition::weighted(15, {2, 1, 2}));
    EXPECT_FALSE(cyclic_rule(2).goes_by_hosts());

    EXPECT_THROW((void)slots_rule().partition(15, 3), InputError) << "no layout";
    EXPECT_THROW((void)slots_rule().partition(15, 2, &ranks), InputError) << "of other ranks";
    EXPECT_THROW((void)host_weighted_rule([](const std::vector<RankHost>&) {
                     return std::vector<std::int64_t>{1};
                 }).partition(15, 3, &ranks),
                 InputError);
}

TEST(Rule, slots_are_shared_by_the_ranks_of_a_host) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
        core::Layout layout;
        layout.active = {{core::GroupId{0}, core::HostIndex{0}, core::Rank{0}, ranks},
                         {core::GroupId{0}, core::HostIndex{1}, core::Rank{ranks}, 1}};
        layout.slots = {{core::HostIndex{0}, 12}, {core::HostIndex{1}, 24}};
        const auto partition = slots_rule().partition(25920, ranks + 1, &layout);
        EXPECT_EQ(partition.count(ranks), 17280) << ranks << ": 24 of 36 slots";
    }
}

TEST(Rule, what_is_none_is_refused) {
    EXPECT_THROW(cyclic_rule(0), InputError);
    EXPECT_THROW(dimension_rule({2, 3}, 2), InputError);
    EXPECT_THROW(grid_rule({}), InputError);
    EXPECT_THROW((void)dimension_rule({2, 3}, 0).partition(7, 2), InputError);
    EXPECT_THROW(
        (void)weighted_rule([](int) { return std::vector<std::int64_t>{1}; }).partition(7, 2),
        InputError);
    EXPECT_THROW((void)listed_rule([](int, int) {
                     return std::vector<Range>{{0, 1}};
                 }).partition(2, 2),
                 InputError);
}

TEST(Rule, blocks_of_equal_weight) {
    const std::vector<std::int64_t> before{0, 1, 2, 3, 12, 13, 14};
    const auto rule =
        balanced_rule([&](std::int64_t i) { return before[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(rule.name(), "blocks of equal weight");
    EXPECT_EQ(rule.partition(6, 2), Partition::consecutive({0, 4, 6}));
    EXPECT_EQ(rule.partition(6, 3), Partition::consecutive({0, 4, 4, 6}));
    const auto none = balanced_rule([](std::int64_t) { return 0; });
    EXPECT_EQ(none.partition(10, 3), Partition(BlockDistribution{10, 3}));
    EXPECT_EQ(none.partition(0, 3), Partition(BlockDistribution{0, 3}));
    EXPECT_THROW((void)balanced_rule([](std::int64_t i) { return i + 1; }).partition(4, 2),
                 InputError);
    EXPECT_THROW((void)balanced_rule([](std::int64_t i) { return -i; }).partition(4, 2),
                 InputError);
}

RC_GTEST_PROP(Rule, no_part_has_more_than_its_share_and_one_element, ()) {
    const auto weights =
        *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 1000));
    const int parts = *rc::gen::inRange(1, 20);
    std::vector<std::int64_t> before{0};
    for (const auto weight : weights) before.push_back(before.back() + weight);
    const auto partition = balanced_rule([&](std::int64_t i) {
                               return before[static_cast<std::size_t>(i)];
                           }).partition(std::ssize(weights), parts);
    RC_ASSERT(partition.parts() == parts);
    const auto heaviest = weights.empty() ? 0 : *std::ranges::max_element(weights);
    std::int64_t elements = 0;
    for (int part = 0; part < parts; ++part)
        for (const auto& range : partition.ranges(part)) {
            const auto weight = before[static_cast<std::size_t>(range.end)] -
                                before[static_cast<std::size_t>(range.begin)];
            RC_ASSERT(weight <= before.back() / parts + 1 + heaviest);
            elements += range.count();
        }
    RC_ASSERT(elements == std::ssize(weights));
}

TEST(BalancedGrid, cases) {
    EXPECT_EQ(balanced_grid({100, 100}, 6), (std::vector{3, 2}));
    EXPECT_EQ(balanced_grid({1000, 10}, 6), (std::vector{6, 1}));
    EXPECT_EQ(balanced_grid({10, 1000}, 6), (std::vector{1, 6}));
    EXPECT_EQ(balanced_grid({64, 64, 64}, 8), (std::vector{2, 2, 2}));
    EXPECT_EQ(balanced_grid({64, 64, 64}, 7), (std::vector{7, 1, 1}));
    EXPECT_EQ(balanced_grid({5}, 4), (std::vector{4}));
}

RC_GTEST_PROP(BalancedGrid, has_all_parts, ()) {
    const auto parts = *rc::gen::inRange(1, 200);
    const auto extents = *rc::gen::container<std::vector<std::int64_t>>(
        static_cast<std::size_t>(*rc::gen::inRange(1, 5)), rc::gen::inRange<std::int64_t>(0, 100));
    int product = 1;
    for (const int cut : balanced_grid(extents, parts)) product *= cut;
    RC_ASSERT(product == parts);
}

}  // namespace
}  // namespace ductile::plan::rule_test
