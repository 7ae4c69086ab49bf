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
