#include "sim/staged_build.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "sim/group_build.hpp"
#include "tree/shape.hpp"

namespace ductile::sim::staged_build_test {
namespace {

using tree::Algorithm;
using tree::Filler;
using tree::Filling;
using tree::ProcessId;

std::vector<bool> members(int n, const std::vector<int>& ids) {
    std::vector<bool> all(static_cast<std::size_t>(n));
    for (const int id : ids) all[static_cast<std::size_t>(id)] = true;
    return all;
}

/// A tree as text, such as 0(1(4 5) 2). A hole has a minus.
std::string written(const Stage& stage) {
    std::string text;
    int depth = 0;
    for (const auto& vertex : stage.tree) {
        for (; depth > vertex.depth; --depth) text += ")";
        if (vertex.depth > depth) {
            text += "(";
            ++depth;
        } else if (!text.empty()) {
            text += " ";
        }
        text += (vertex.member ? "" : "-") + std::to_string(vertex.id.value);
    }
    for (; depth > 0; --depth) text += ")";
    return text;
}

std::vector<StageKind> kinds(const StagedBuild& build) {
    std::vector<StageKind> all;
    for (const auto& stage : build.stages) all.push_back(stage.kind);
    return all;
}

const auto seven_of_13 = members(13, {0, 3, 4, 6, 7, 8, 9});

TEST(StagedBuild, ChildFillerMovesAChildUp) {
    const auto build = build_in_stages({Algorithm::shrink_and_hash, Filler::child}, seven_of_13);
    using enum StageKind;
    ASSERT_EQ(kinds(build), (std::vector{original, shrunk, shrunk, ranked, built}));
    EXPECT_EQ(written(build.stages[0]), "0(-1(4 -5 6) -2(7 8 9) 3(-10 -11 -12))");
    EXPECT_EQ(build.stages[1].level, 2);
    EXPECT_EQ(written(build.stages[1]), "0(-1(4 6) -2(7 8 9) 3)");
    EXPECT_EQ(build.stages[1].gone,
              (std::vector{ProcessId{5}, ProcessId{10}, ProcessId{11}, ProcessId{12}}));
    EXPECT_EQ(written(build.stages[2]), "0(4(6) 7(8 9) 3)");
    EXPECT_EQ(build.stages[2].filled,
              (std::vector{FilledHole{ProcessId{1}, ProcessId{4}, Filling::child},
                           FilledHole{ProcessId{2}, ProcessId{7}, Filling::child}}));
}

/// A hole at the root, and holes above each other.
TEST(StagedBuild, LeafFillerMovesALeafUp) {
    const auto build =
        build_in_stages({Algorithm::shrink_and_hash, Filler::leaf, 2}, members(7, {2, 3, 5, 6}));
    ASSERT_EQ(build.stages.size(), 6U);
    EXPECT_EQ(written(build.stages[0]), "-0(-1(3 -4) 2(5 6))");
    EXPECT_EQ(written(build.stages[1]), "-0(-1(3) 2(5 6))");
    EXPECT_EQ(written(build.stages[2]), "-0(3 2(5 6))");
    EXPECT_EQ(build.stages[2].offers.size(), 2U) << "filler 3 is alone, so a leaf, and offered";
    EXPECT_EQ(build.stages[3].level, 0);
    EXPECT_EQ(build.stages[3].filled.size(), 1U);
    EXPECT_EQ(build.stages[3].filled[0].filling, Filling::leaf);
    EXPECT_EQ(build.stages[3].tree[0].id, build.stages[3].filled[0].filler);
    EXPECT_EQ(build.stages[3].tree.size(), 4U);
}

TEST(StagedBuild, WithNoFillerEachProcessKnowsItsSize) {
    const auto build = build_in_stages({}, seven_of_13);
    using enum StageKind;
    ASSERT_EQ(kinds(build), (std::vector{original, counted, ranked, built}));
    std::vector<int> sizes;
    for (const auto& vertex : build.stages[1].tree) sizes.push_back(vertex.size.value());
    EXPECT_EQ(sizes, (std::vector{7, 2, 1, 0, 1, 3, 1, 1, 1, 1, 0, 0, 0}));
    std::vector<int> ranks;
    for (const auto& vertex : build.stages[2].tree) {
        EXPECT_EQ(vertex.rank.has_value(), vertex.member);
        ranks.push_back(vertex.rank.value_or(-1));
    }
    EXPECT_EQ(ranks, (std::vector{0, -1, 1, -1, 2, -1, 3, 4, 5, 6, -1, -1, -1}));
}

TEST(StagedBuild, CentralizedGathersAtTheRoot) {
    const auto build = build_in_stages({Algorithm::centralized}, members(4, {2, 3}));
    using enum StageKind;
    ASSERT_EQ(kinds(build), (std::vector{original, counted, built}));
    EXPECT_EQ(build.stages[1].tree[0].size, 2);
    EXPECT_EQ(build.messages, 3 + 2)
        << "two upwards less the root, then the leader's and a child's";
}

/// For every set of members: each picture holds each member once. A picture holds a hole only until
/// the level of the hole has reported. The last picture is the tree that is built, with as many
/// messages as without pictures.
TEST(StagedBuild, EveryPictureHoldsEveryMember) {
    for (const int n : {1, 2, 7, 40, 150}) {
        for (const int k : {2, 3, 5}) {
            for (unsigned seed = 0; seed < 8; ++seed) {
                auto in = draw_members(n, 1 + static_cast<int>(seed) * (n - 1) / 8, seed);
                if (seed % 2 == 1) std::rotate(in.begin(), in.begin() + n / 2, in.end());
                for (const auto algorithm : tree::all_algorithms) {
                    for (const auto filler : tree::all_fillers) {
                        if (algorithm == Algorithm::shrink_and_balance && filler == Filler::none)
                            continue;
                        SCOPED_TRACE(std::to_string(n) + " processes, k " + std::to_string(k) +
                                     ", seed " + std::to_string(seed) + ", " +
                                     std::string(to_string(algorithm)) + ", filler " +
                                     std::string(to_string(filler)));
                        const tree::Method method{algorithm, filler, k};
                        const auto build = build_in_stages(method, in);
                        for (const auto& stage : build.stages) {
                            std::set<ProcessId> seen;
                            int found = 0;
                            for (const auto& vertex : stage.tree) {
                                EXPECT_TRUE(seen.insert(vertex.id).second);
                                found += vertex.member ? 1 : 0;
                                if (!vertex.member && stage.kind == StageKind::shrunk) {
                                    EXPECT_LT(tree::level_of(vertex.id.value, k), stage.level);
                                }
                            }
                            EXPECT_EQ(found, build.m);
                        }
                        EXPECT_EQ(build.stages.front().tree.size(), in.size());
                        EXPECT_EQ(build.stages.back().tree.size(),
                                  static_cast<std::size_t>(build.m));
                        if (algorithm != Algorithm::shrink_and_balance) {
                            EXPECT_EQ(build.messages, simulate_build(method, in, {}).messages);
                        }
                        if (HasFailure()) return;
                    }
                }
            }
        }
    }
}

TEST(StagedBuild, RefusesWhatCannotBe) {
    EXPECT_THROW(build_in_stages({}, {}), std::invalid_argument);
    EXPECT_THROW(build_in_stages({}, {false, false}), std::invalid_argument);
    EXPECT_THROW(build_in_stages({Algorithm::shrink_and_balance, Filler::none}, {true}),
                 std::invalid_argument);
}

}  // namespace
}  // namespace ductile::sim::staged_build_test
