#include "plan/start_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "examples.hpp"
#include "plan/plan_table.hpp"
#include "plan/rank_order.hpp"

namespace ductile::plan::start_plan_test {
namespace {

using core::Allocation;
using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Layout;
using core::Rank;

StartPlan planned(const Layout& now, const Allocation& allocation, const StartRequest& request) {
    return std::get<StartPlan>(plan_start(now, allocation, request));
}

std::string refused(const Layout& now, const Allocation& allocation, const StartRequest& request) {
    const auto plan = plan_start(now, allocation, request);
    const auto* refusal = std::get_if<ExpandRefusal>(&plan);
    return refusal != nullptr ? refusal->reason : "";
}

TEST(Methods, NamesThereAndBack) {
    for (const auto method : all_methods) EXPECT_EQ(method_named(to_string(method)), method);
    for (const auto start : all_starts) EXPECT_EQ(start_named(to_string(start)), start);
    EXPECT_FALSE(start_named("Launch"));
    EXPECT_FALSE(method_named(""));
}

TEST(StartPlan, LaunchStartsOneWorldOutsideOfMpi) {
    const auto now = Layout::of({group(0, 0, 2)});
    const auto plan = planned(now, slots({2, 2, 2}), {Method::merge, Start::launch, 6, GroupId{1}});
    EXPECT_EQ(plan.added, (std::vector<Group>{{GroupId{1}, HostIndex{1}, 4, {{HostIndex{2}, 2}}}}));
    EXPECT_EQ(plan.after(), now.with(plan.added));
    EXPECT_TRUE(plan.spawns.empty());
    EXPECT_TRUE(plan.steps.empty());
    EXPECT_TRUE(plan.rounds.connections.empty()) << "one world connects to the job";
}

TEST(StartPlan, BaselineStartsAllAfreshBesideTheOld) {
    const auto now = Layout::of({group(0, 0, 2), group(3, 1, 2)});
    const auto plan =
        planned(now, slots({2, 2, 2}), {Method::baseline, Start::hypercube, 6, GroupId{4}});
    EXPECT_EQ(plan.after(), Layout::of({group(4, 0, 2), group(5, 1, 2), group(6, 2, 2)}));
    EXPECT_EQ(plan.spawns, (std::vector<Spawn>{{1, GroupId{0}, Rank{0}, GroupId{4}},
                                               {1, GroupId{0}, Rank{1}, GroupId{5}},
                                               {1, GroupId{3}, Rank{0}, GroupId{6}}}));
}

TEST(StartPlan, BaselineMayKeepOrLowerTheSize) {
    const auto now = Layout::of({group(0, 0, 2), group(1, 1, 2)});
    for (const int target : {1, 2, 3, 4}) {
        const auto plan =
            planned(now, slots({2, 2}), {Method::baseline, Start::launch, target, GroupId{2}});
        EXPECT_EQ(plan.after().size(), target);
    }
    EXPECT_NE(refused(now, slots({2, 2}), {Method::merge, Start::launch, 4, GroupId{2}}), "");
    EXPECT_NE(refused(now, slots({2, 2}), {Method::baseline, Start::launch, 5, GroupId{2}})
                  .find("at most 4"),
              std::string::npos);
}

TEST(StartPlan, OneSpawnMakesOneGroupOverAllHosts) {
    const auto now = Layout::of({group(0, 0, 2)});
    for (const auto start : {Start::collective, Start::single}) {
        const auto plan = planned(now, slots({4, 3, 1}), {Method::merge, start, 8, GroupId{1}});
        ASSERT_EQ(plan.added.size(), 1u);
        EXPECT_EQ(
            plan.added[0].shares(),
            (std::vector<core::Share>{{HostIndex{0}, 2}, {HostIndex{1}, 3}, {HostIndex{2}, 1}}));
        EXPECT_EQ(plan.spawns, (std::vector<Spawn>{{1, GroupId{0}, Rank{0}, GroupId{1}}}));
        EXPECT_TRUE(plan.rounds.connections.empty());
    }
}

TEST(StartPlan, TheRootOfASpawnIsTheJobsRankZero) {
    const auto now = Layout::of({group(0, 0, 2), group(1, 1, 2)}).without({Rank{0}});
    const auto plan = planned(now, slots({2, 2, 2}), {Method::merge, Start::single, 6, GroupId{2}});
    EXPECT_EQ(plan.spawns, (std::vector<Spawn>{{1, GroupId{0}, Rank{1}, GroupId{2}}}));
    EXPECT_EQ(plan.added, (std::vector<Group>{{GroupId{2}, HostIndex{0}, 3, {{HostIndex{2}, 2}}}}));
}

TEST(StartPlan, HypercubeRefusesHostsThatDiffer) {
    const auto now = Layout::of({group(0, 0, 2)});
    const StartRequest wish{Method::merge, Start::hypercube, 6, GroupId{1}};
    EXPECT_EQ(refused(now, slots({2, 2, 2}), wish), "");
    EXPECT_NE(refused(now, slots({2, 3, 1}), wish).find("use diffusive"), std::string::npos);
    EXPECT_NE(refused(now, slots({4, 2, 2}), wish).find("use diffusive"), std::string::npos);
    const auto part = Layout::of({group(0, 0, 1)});  // the source's host is not full
    EXPECT_NE(refused(part, slots({1, 2, 2}), {Method::merge, Start::hypercube, 5, GroupId{1}})
                  .find("use diffusive"),
              std::string::npos);
}

TEST(StartPlan, IdsAreNeverReused) {
    const auto now = Layout::of({group(5, 0, 1)});
    for (const auto method : all_methods)
        EXPECT_THROW(plan_start(now, slots({2}), {method, Start::launch, 2, GroupId{5}}),
                     std::invalid_argument);
}

// Whatever the start, the same ranks come to lie on the same hosts, in the order of equation (9) of
// parallel-spawning-strategies.
RC_GTEST_PROP(StartPlan, AllStartsEndInTheSameRanks, ()) {
    const int hosts = *rc::gen::element(*rc::gen::inRange(1, 40), *rc::gen::inRange(40, 513));
    const auto per_host = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(hosts),
                                                                rc::gen::inRange(0, 6));
    const auto allocation = slots(per_host);
    std::vector<Group> groups;
    for (int at = 0, sources = *rc::gen::inRange(1, std::min(hosts, 4) + 1); at < sources; ++at)
        groups.push_back(group(at, at, *rc::gen::inRange(1, 5)));
    auto now = Layout::of(groups);
    if (now.size() > 1 && *rc::gen::arbitrary<bool>())  // any rank may have left
        now = now.without({Rank{*rc::gen::inRange(0, now.size())}});
    const GroupId next{static_cast<int>(groups.size())};
    const auto method = *rc::gen::element(Method::merge, Method::baseline);
    const int kept = method == Method::merge ? now.size() : 0;
    int room = 0;
    for (int at = 0; at < hosts; ++at) {
        const HostIndex host{at};
        room += std::max(0, allocation.at(host).slots - (kept > 0 ? now.ranks_on(host) : 0));
    }
    if (room < 1) return;
    const int target = kept + *rc::gen::inRange(1, room + 1);
    const auto launch = planned(now, allocation, {method, Start::launch, target, next});
    for (const auto start : {Start::collective, Start::single, Start::diffusive}) {
        const auto plan = planned(now, allocation, {method, start, target, next});
        RC_ASSERT(plan.after().size() == target);
        for (int rank = 0; rank < target; ++rank)
            RC_ASSERT(plan.after().host_of(Rank{rank}) == launch.after().host_of(Rank{rank}));
    }
}

TEST(StartPlan, Table) {
    const auto now = Layout::of({group(0, 0, 2)});
    const auto allocation = slots({3, 2, 1});
    const auto plan = planned(now, allocation, {Method::merge, Start::diffusive, 6, GroupId{1}});
    EXPECT_EQ("\n" + to_table(plan, now, allocation), R"(
expand 2 -> 6 ranks, 3 new groups (merge, diffusive)
host   slots  running  free  group  starts  ranks
host0      3        2     1  g1          1  2
host1      2        0     2  g2          2  3-4
host2      1        0     1  g3          1  5
step  t  g  lambda  T  G
   0  2  -       0  1  -
   1  5  3       2  2  1
   2  6  1       7  3  1
step  rank  starts
   1  g0.0  g1
   1  g0.1  g2
   2  g0.0  g3
round  accepts  connects  merged
    0  g1       g3        g1 g3
    1  g1       g2        g1 g3 g2
)");
    const auto whole = planned(now, allocation, {Method::baseline, Start::single, 6, GroupId{1}});
    EXPECT_EQ("\n" + to_table(whole, now, allocation), R"(
replace 2 -> 6 ranks, 1 new group (baseline, single)
host   slots  running  free  group  starts  together  ranks
host0      3        2     3  g1          3         5  0-2
host1      2        0     2  g1          2         2  3-4
host2      1        0     1  g1          1         1  5
step  rank  starts
   1  g0.0  g1
)");
}

}  // namespace
}  // namespace ductile::plan::start_plan_test
