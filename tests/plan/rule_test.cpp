#include "plan/rule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "ductile/error.hpp"

namespace ductile::plan {
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
}  // namespace ductile::plan
