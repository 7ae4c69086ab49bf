#include "sim/group_build.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tree/process.hpp"
#include "tree/shape.hpp"

namespace ductile::sim::group_build_test {
namespace {

using tree::Algorithm;
using tree::Filler;
using tree::Method;

const std::vector<Method> methods{
    {Algorithm::centralized, Filler::none},        {Algorithm::shrink_and_balance, Filler::child},
    {Algorithm::shrink_and_balance, Filler::leaf}, {Algorithm::shrink_and_hash, Filler::none},
    {Algorithm::shrink_and_hash, Filler::child},   {Algorithm::shrink_and_hash, Filler::leaf}};

std::string name_of(const Method& method) {
    return std::string(to_string(method.algorithm)) + ", filler " +
           std::string(to_string(method.filler));
}

TEST(DrawMembers, DrawsSoManyAndProcess0) {
    for (const int processes : {1, 2, 3, 10, 1000})
        for (int count = 1; count <= processes; count += 1 + processes / 20)
            for (unsigned seed = 0; seed < 5; ++seed) {
                const auto members = draw_members(processes, count, seed);
                EXPECT_EQ(members.size(), static_cast<std::size_t>(processes));
                EXPECT_EQ(std::ranges::count(members, true), count);
                EXPECT_TRUE(members[0]);
                EXPECT_EQ(members, draw_members(processes, count, seed));
            }
    EXPECT_NE(draw_members(1000, 300, 1), draw_members(1000, 300, 2));
}

/// The first and the last process are drawn about as often as any other.
TEST(DrawMembers, DrawsEverybodyAboutAsOften) {
    constexpr int processes = 20, count = 6, draws = 4000;
    std::vector<int> drawn(processes);
    for (unsigned seed = 0; seed < draws; ++seed) {
        const auto members = draw_members(processes, count, seed);
        for (std::size_t i = 0; i < members.size(); ++i) drawn[i] += members[i] ? 1 : 0;
    }
    EXPECT_EQ(drawn[0], draws);
    const double expected = draws * (count - 1.0) / (processes - 1);
    for (std::size_t i = 1; i < drawn.size(); ++i)
        EXPECT_NEAR(drawn[i], expected, expected * 0.12) << "process " << i;
}

TEST(DrawMembers, RefusesWhatCannotBeDrawn) {
    for (const int count : {-1, 0, 11})
        EXPECT_THROW(draw_members(10, count, 1), std::invalid_argument);
}

TEST(SimulateBuild, GivesTheSameEachTime) {
    const auto members = draw_members(800, 250, 4);
    for (const auto& method : methods) {
        SCOPED_TRACE(name_of(method));
        const auto one = simulate_build(method, members, {4, 4, 0.05});
        const auto other = simulate_build(method, members, {4, 4, 0.05}, true);
        EXPECT_EQ(one.messages, other.messages);
        EXPECT_EQ(one.bytes, other.bytes);
        EXPECT_EQ(one.time_us, other.time_us) << "measuring memory takes no simulated time";
        EXPECT_EQ(one.tree.members, 250);
        EXPECT_EQ(one.tree.height, tree::height(250, method.branching));
        EXPECT_LE(one.tree.largest_degree, method.branching);
        EXPECT_EQ(one.most_bytes_held, 0U);
        EXPECT_GT(other.most_bytes_held, 0U);
    }
}

/// Two processes, both members. Four messages follow each other: begin, the enrolment of the child,
/// its place, and its report of the end. Each takes 10 us to send, 100 us on the way, and 10 us to
/// receive.
TEST(SimulateBuild, TakesAsLongAsTheMessagesInARow) {
    const auto build =
        simulate_build({Algorithm::centralized, Filler::none}, {true, true}, {100, 10, 0});
    EXPECT_EQ(build.messages, 2);
    EXPECT_EQ(build.longest_chain, 2);
    EXPECT_DOUBLE_EQ(build.time_us, 4 * (10 + 100 + 10));
    const auto alone = simulate_build({Algorithm::centralized, Filler::none}, {true}, {100, 10, 0});
    EXPECT_EQ(alone.messages, 0);
    EXPECT_EQ(alone.longest_chain, 0);
    EXPECT_EQ(alone.time_us, 0);
}

TEST(SimulateBuild, TakesTimesInProportionToTheCosts) {
    const auto members = draw_members(500, 100, 1);
    for (const auto& method : methods) {
        const auto one = simulate_build(method, members, {1, 1, 0.25});
        const auto fourfold = simulate_build(method, members, {4, 4, 1});
        EXPECT_NEAR(fourfold.time_us, 4 * one.time_us, 1e-6) << name_of(method);
    }
}

/// The messages go up the tree of the parent group and down the new tree, which is the same tree
/// here.
TEST(SimulateBuild, CountsTheMessagesThatGoOneAfterTheOther) {
    for (const int n : {2, 4, 5, 13, 40, 41, 364}) {
        const std::vector<bool> all(static_cast<std::size_t>(n), true);
        const auto build = simulate_build({Algorithm::centralized, Filler::none}, all, {});
        EXPECT_EQ(build.longest_chain, 2 * (tree::height(n, 3) - 1)) << n;
    }
    const auto members = draw_members(500, 100, 1);
    for (const auto& method : methods) {
        const auto build = simulate_build(method, members, {1, 1, 0.25});
        EXPECT_GE(build.longest_chain, tree::height(500, method.branching) - 1) << name_of(method);
        EXPECT_LT(build.longest_chain, 60) << name_of(method);
    }
}

/// The claim of balanced-spanning-trees: O(k) with no filler, O(k log_k n) with one, and only
/// centralized holds the group.
TEST(SimulateBuild, HoldsLittleWhateverTheGroupsSize) {
    constexpr int n = 5000, k = 3;
    const auto levels = static_cast<std::size_t>(tree::height(n, k));
    for (const int m : {50, 1500, 5000}) {
        const auto members = draw_members(n, m, 2);
        for (const auto& method : methods) {
            SCOPED_TRACE(name_of(method) + ", " + std::to_string(m) + " members");
            const auto held = simulate_build(method, members, {1, 1, 0.01}, true).most_bytes_held -
                              sizeof(tree::Process);
            if (method.algorithm == Algorithm::centralized)
                EXPECT_GE(held, 2 * static_cast<std::size_t>(m));
            else
                EXPECT_LE(held, 256UL * k * (method.filler == Filler::none ? 1 : levels));
        }
    }
}

/// As many processes as the paper had; simulate_build checks that it is one tree of all members.
TEST(SimulateBuild, MakesBalancedTreesOf131072Processes) {
    constexpr int processes = 1 << 17;
    int members = 977;
    for (const auto& method : methods) {
        SCOPED_TRACE(name_of(method));
        const auto build = simulate_build(method, draw_members(processes, members, 4), {});
        EXPECT_EQ(build.tree.members, members);
        EXPECT_EQ(build.tree.height, tree::height(members, method.branching));
        EXPECT_LE(build.tree.largest_degree, method.branching);
        members = members * 5 / 2;
    }
}

}  // namespace
}  // namespace ductile::sim::group_build_test
