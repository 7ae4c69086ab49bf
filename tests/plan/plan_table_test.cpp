#include "plan/plan_table.hpp"

#include <gtest/gtest.h>

#include "examples.hpp"
#include "plan/start_plan.hpp"

namespace ductile::plan::plan_table_test {
namespace {

using core::Allocation;
using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Layout;

std::string launch_table(const Layout& before, const Allocation& allocation, int target, int next) {
    return to_table(std::get<StartPlan>(plan_start(
                        before, allocation, {Method::merge, Start::launch, target, GroupId{next}})),
                    before, allocation);
}

TEST(PlanTable, Expand) {
    const Allocation allocation{{{"host00", 2}, {"host01", 2}, {"host02", 0}, {"host03", 12}}};
    EXPECT_EQ("\n" + launch_table(Layout::of({group(0, 0, 2)}), allocation, 15, 1), R"(
expand 2 -> 15 ranks, 1 new group (merge, launch)
host    slots  running  free  group  starts  ranks
host00      2        2     0  -           0  -
host01      2        0     2  g1          2  2-3
host02      0        0     0  -           0  -
host03     12        0    12  g1         11  4-14
)");
}

TEST(PlanTable, ExpandOnOneHost) {
    EXPECT_EQ("\n" + launch_table(Layout::of({group(3, 0, 1)}), {{{"a", 1}, {"b", 1}}}, 2, 7), R"(
expand 1 -> 2 ranks, 1 new group (merge, launch)
host  slots  running  free  group  starts  ranks
a         1        1     0  -           0  -
b         1        0     1  g7          1  1
)");
}

TEST(PlanTable, Shrink) {
    const Allocation allocation{{{"a", 2}, {"b", 4}}};
    const auto before =
        Layout::of({group(0, 0, 2), group(1, 1, 1), group(2, 1, 2), group(5, 9, 1)});
    const auto one = std::get<ShrinkPlan>(plan_shrink(before, 4));
    EXPECT_EQ("\n" + to_table(one, before, allocation), R"(
shrink 6 -> 4 ranks: 2 ranks leave
host    group  ranks  leave  park  ranks after
a       g0     0-1        0     0  0-1
b       g1     2          0     0  2
b       g2     3-4        1     0  3
host 9  g5     5          1     0  -
free afterwards: host 9
)");
    const auto park = std::get<ShrinkPlan>(plan_shrink(before, 4, ShrinkKind::park));
    EXPECT_EQ("\n" + to_table(park, before, allocation), R"(
shrink 6 -> 4 ranks: 1 rank leaves, 1 rank parks
host    group  ranks  leave  park  ranks after
a       g0     0-1        0     0  0-1
b       g1     2          0     0  2
b       g2     3-4        0     1  3
host 9  g5     5          1     0  -
free afterwards: host 9
)");
    const auto two =
        std::get<ShrinkPlan>(plan_release(before, {{HostIndex{0}, 1}, {HostIndex{1}}}, allocation));
    EXPECT_EQ("\n" + to_table(two, before, allocation), R"(
shrink 6 -> 2 ranks: 4 ranks leave
host    group  ranks  leave  park  ranks after
a       g0     0-1        1     0  0
b       g1     2          1     0  -
b       g2     3-4        2     0  -
host 9  g5     5          0     0  1
free afterwards: b
)");
}

// Ranks 0 and 1 are on host a, 2 and 3 on host b, 4 on host a. The highest ranks of both hosts are
// parked, and each range has a row.
TEST(PlanTable, ShrinkOfInterleavedRanks) {
    const auto before =
        Layout::of({{GroupId{0}, HostIndex{0}, 4, {{HostIndex{1}, 2}}}, group(1, 0, 1)});
    const auto plan = std::get<ShrinkPlan>(plan_release(
        before, {{HostIndex{1}, 1}, {HostIndex{0}, 2}}, {{{"a", 4}, {"b", 4}}}, ShrinkKind::park));
    EXPECT_EQ("\n" + to_table(plan, before, {{{"a", 4}, {"b", 4}}}), R"(
shrink 5 -> 2 ranks: 3 ranks park
host  group  ranks  leave  park  ranks after
a     g0     0-1        0     1  0
b     g0     2-3        0     1  1
a     g1     4          0     1  -
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
}  // namespace ductile::plan::plan_table_test
