#include "plan/plan_table.hpp"

#include <gtest/gtest.h>

#include "examples.hpp"

namespace ductile::plan {
namespace {

using core::Allocation;
using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Layout;

std::string launch_table(const Layout& before, const Allocation& allocation, int target, int next) {
    return to_table(std::get<LaunchPlan>(plan_launch(before, allocation, target, GroupId{next})),
                    before, allocation);
}

TEST(PlanTable, Expand) {
    const Allocation allocation{{{"host00", 2}, {"host01", 2}, {"host02", 0}, {"host03", 12}}};
    EXPECT_EQ("\n" + launch_table({{group(0, 0, 2)}}, allocation, 15, 1), R"(
expand 2 -> 15 ranks, 2 new groups
host    slots  running  free  group  starts  ranks
host00      2        2     0  -           0  -
host01      2        0     2  g1          2  2-3
host02      0        0     0  -           0  -
host03     12        0    12  g2         11  4-14
round  accepts  connects  merged
    0  g1       g2        g1 g2
)");
}

TEST(PlanTable, ExpandByOneGroupNeedsNoRounds) {
    EXPECT_EQ("\n" + launch_table({{group(3, 0, 1)}}, {{{"a", 1}, {"b", 1}}}, 2, 7), R"(
expand 1 -> 2 ranks, 1 new group
host  slots  running  free  group  starts  ranks
a         1        1     0  -           0  -
b         1        0     1  g7          1  1
)");
}

TEST(PlanTable, Shrink) {
    const Allocation allocation{{{"a", 2}, {"b", 4}}};
    const Layout before{{group(0, 0, 2), group(1, 1, 1), group(2, 1, 2), group(5, 9, 1)}};
    const auto one = std::get<ShrinkPlan>(plan_shrink(before, 5));
    EXPECT_EQ("\n" + to_table(one, before, allocation), R"(
shrink 6 -> 5 ranks, 1 group leaves
group  host    ranks  leaves  ranks after
g0     a       0-1    no      0-1
g1     b       2      no      2
g2     b       3-4    no      3-4
g5     host 9  5      yes     -
free afterwards: host 9
)");
    const auto two = std::get<ShrinkPlan>(plan_release(before, {HostIndex{0}, HostIndex{1}}));
    EXPECT_EQ("\n" + to_table(two, before, allocation), R"(
shrink 6 -> 1 ranks, 3 groups leave
group  host    ranks  leaves  ranks after
g0     a       0-1    yes     -
g1     b       2      yes     -
g2     b       3-4    yes     -
g5     host 9  5      no      0
free afterwards: a b
)");
}

TEST(PlanTable, AHostWithAGroupLeftIsNotFree) {
    const Layout before{{group(0, 0, 2), group(1, 0, 1)}};
    const auto plan = std::get<ShrinkPlan>(plan_shrink(before, 2));
    EXPECT_EQ("\n" + to_table(plan, before, {{{"a", 4}}}), R"(
shrink 3 -> 2 ranks, 1 group leaves
group  host  ranks  leaves  ranks after
g0     a     0-1    no      0-1
g1     a     2      yes     -
free afterwards: none
)");
}

TEST(PlanTable, Figure3) {
    EXPECT_EQ("\n" + to_table(connect_rounds(7)), R"(
round  accepts  connects  merged
    0  0        6         0 6
    0  1        5         1 5
    0  2        4         2 4
    1  0        3         0 6 3
    1  1        2         1 5 2 4
    2  0        1         0 6 3 1 5 2 4
)");
}

}  // namespace
}  // namespace ductile::plan
