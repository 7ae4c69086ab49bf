#include "tree/upward_pass.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace ductile::tree::upward_pass_test {
namespace {

constexpr Colour red{0}, blue{3};

Branch branch(int top, int size, const std::vector<int>& candidates, Colour colour = red) {
    Branch made{colour, ProcessId{top}, 0, size, {}, {}};
    for (const int id : candidates) made.candidates.push_back({ProcessId{id}, 0});
    return made;
}

TreePosition position_at(int id, int level) {
    TreePosition position;
    position.self = ProcessId{id};
    position.level = level;
    if (level > 0) position.parent = ProcessId{0};
    return position;
}

Shrunk shrink(const TreePosition& position, std::optional<Colour> own, std::vector<Branch> branches,
              Filler filler) {
    return shrink_at(position, own, std::move(branches), filler, LoneBranch::filled);
}

std::vector<int> ids(const std::vector<Candidate>& candidates) {
    std::vector<int> found;
    for (const auto& one : candidates) found.push_back(one.id.value);
    return found;
}

/// Equation (8) of balanced-spanning-trees: the process itself, if it is a member, and all below
/// it.
TEST(UpwardPass, SumsSizesByEquation8) {
    const std::vector branches{branch(4, 3, {}), branch(5, 1, {}), branch(6, 7, {}, blue)};
    EXPECT_EQ(size_of(branches, red), 4);
    EXPECT_EQ(size_of(branches, blue), 7);
    EXPECT_EQ(size_of({}, red), 0);
    for (const auto filler : all_fillers) {
        const auto in =
            shrink(position_at(1, 1), red, {branch(4, 3, {4}), branch(5, 1, {5})}, filler);
        EXPECT_EQ(in.upwards.branches.at(0).size, 1 + 3 + 1);
        const auto out =
            shrink(position_at(1, 1), std::nullopt, {branch(4, 3, {4}), branch(5, 1, {5})}, filler);
        EXPECT_EQ(out.upwards.branches.at(0).size, 0 + 3 + 1);
    }
}

TEST(UpwardPass, AMemberKeepsWhatIsBelowIt) {
    const auto alone = shrink(position_at(7, 2), red, {}, Filler::leaf);
    EXPECT_EQ(ids(alone.upwards.branches.at(0).candidates), (std::vector{7})) << "a leaf";
    const auto above =
        shrink(position_at(1, 1), red, {branch(7, 1, {7}), branch(8, 1, {8})}, Filler::leaf);
    EXPECT_EQ(above.upwards.branches.at(0).top, ProcessId{1});
    EXPECT_EQ(ids(above.upwards.branches.at(0).candidates), (std::vector{7, 8}));
    EXPECT_EQ(above.kept.size(), 2U);
    EXPECT_TRUE(above.relocations.empty());
    EXPECT_TRUE(shrink(position_at(1, 1), red, {branch(7, 1, {})}, Filler::child)
                    .upwards.branches.at(0)
                    .candidates.empty());
}

/// Section V-A: the top of the largest branch moves up and adopts the others.
TEST(UpwardPass, AHoleIsFilledByAChild) {
    const auto shrunk =
        shrink(position_at(1, 1), std::nullopt,
               {branch(4, 1, {}), branch(5, 6, {}), branch(6, 2, {})}, Filler::child);
    EXPECT_EQ(shrunk.upwards.branches.at(0).top, ProcessId{5});
    EXPECT_EQ(shrunk.upwards.branches.at(0).size, 9);
    EXPECT_TRUE(shrunk.kept.empty()) << "a hole has nothing below it any more";
    ASSERT_EQ(shrunk.relocations.size(), 1U);
    EXPECT_EQ(shrunk.relocations[0].to, ProcessId{5});
    const auto& relocation = std::get<Relocation>(shrunk.relocations[0].message);
    EXPECT_EQ(relocation.filling, Filling::child);
    ASSERT_EQ(relocation.adopted.size(), 2U);
    EXPECT_EQ(relocation.adopted[0].top, ProcessId{6});
    EXPECT_EQ(relocation.adopted[1].top, ProcessId{4});
}

/// Section V-A: a leaf of the largest branch moves up; those above it are told by `taken`.
TEST(UpwardPass, AHoleIsFilledByALeaf) {
    const auto shrunk = shrink(position_at(1, 1), std::nullopt,
                               {branch(4, 1, {4}), branch(5, 3, {11, 12})}, Filler::leaf);
    EXPECT_EQ(shrunk.upwards.branches.at(0).top, ProcessId{12});
    EXPECT_EQ(shrunk.upwards.branches.at(0).size, 4);
    ASSERT_EQ(shrunk.relocations.size(), 1U);
    EXPECT_EQ(shrunk.relocations[0].to, ProcessId{12});
    const auto& relocation = std::get<Relocation>(shrunk.relocations[0].message);
    EXPECT_EQ(relocation.filling, Filling::leaf);
    ASSERT_EQ(relocation.adopted.size(), 2U);
    EXPECT_EQ(relocation.adopted[0].top, ProcessId{5});
    EXPECT_EQ(relocation.adopted[0].size, 2);
    EXPECT_EQ(relocation.adopted[0].taken, (std::vector{ProcessId{12}}));
}

/// The lists are bounded, so a hole may have members below it and no candidate.
TEST(UpwardPass, WithNoCandidateLeftAChildIsTheFiller) {
    const auto shrunk =
        shrink(position_at(1, 1), std::nullopt, {branch(4, 2, {}), branch(5, 6, {})}, Filler::leaf);
    EXPECT_EQ(shrunk.upwards.branches.at(0).top, ProcessId{5});
    EXPECT_EQ(std::get<Relocation>(shrunk.relocations.at(0).message).filling, Filling::child);
}

/// Otherwise chains of holes would run out of candidates.
TEST(UpwardPass, AFillerThatIsAloneIsOfferedAgain) {
    const auto shrunk = shrink(position_at(1, 1), std::nullopt, {branch(4, 1, {4})}, Filler::leaf);
    const auto& above = shrunk.upwards.branches.at(0);
    ASSERT_EQ(ids(above.candidates), (std::vector{4}));
    EXPECT_EQ(above.candidates[0].moves, 1) << "it has been sent a relocation";
    EXPECT_EQ(above.moves, 1);
}

TEST(UpwardPass, WithNoFillerAHoleStays) {
    const auto shrunk =
        shrink(position_at(1, 1), std::nullopt, {branch(4, 2, {}), branch(5, 6, {})}, Filler::none);
    EXPECT_EQ(shrunk.upwards.branches.at(0).top, ProcessId{1});
    EXPECT_EQ(shrunk.kept.size(), 2U);
    EXPECT_TRUE(shrunk.relocations.empty());
}

/// A process is a hole for each colour that it does not have. It sends one branch upwards for each
/// colour, always in the same order of colours.
TEST(UpwardPass, EachColourGoesItsOwnWay) {
    for (const bool swapped : {false, true}) {
        std::vector below{branch(4, 2, {8}, blue), branch(5, 1, {5}, red)};
        if (swapped) std::swap(below[0], below[1]);
        const auto shrunk = shrink(position_at(1, 1), red, below, Filler::leaf);
        ASSERT_EQ(shrunk.upwards.branches.size(), 2U);
        EXPECT_EQ(shrunk.upwards.branches[0].colour, red);
        EXPECT_EQ(shrunk.upwards.branches[0].top, ProcessId{1}) << "a member";
        EXPECT_EQ(shrunk.upwards.branches[1].colour, blue);
        EXPECT_EQ(shrunk.upwards.branches[1].top, ProcessId{8}) << "a hole";
        EXPECT_EQ(shrunk.relocations.size(), 1U);
    }
}

/// A process that no message of its children names has nothing to say.
TEST(UpwardPass, NobodyBelowAndOutIsNothing) {
    for (const auto filler : all_fillers)
        EXPECT_TRUE(shrink(position_at(9, 2), std::nullopt, {}, filler).upwards.branches.empty());
}

TEST(UpwardPass, OffersNoMoreThanOneForEachProcessAboveAndItself) {
    std::mt19937 random{5};
    for (int round = 0; round < 500; ++round) {
        const int level = static_cast<int>(random() % 6);
        std::vector<Branch> below;
        int id = 100;
        for (auto i = random() % 5; i > 0; --i) {
            std::vector<int> candidates;
            for (auto c = random() % 8; c > 0; --c) candidates.push_back(++id);
            const int top = ++id;
            below.push_back(branch(top, static_cast<int>(candidates.size()) + 1, candidates));
        }
        const auto own = random() % 2 == 0 ? std::optional{red} : std::nullopt;
        const auto shrunk = shrink(position_at(1, level), own, below, Filler::leaf);
        for (const auto& above : shrunk.upwards.branches) {
            EXPECT_LE(above.candidates.size(), candidates_at(level));
            EXPECT_EQ(above.size, size_of(below, red) + (own ? 1 : 0));
        }
    }
}

TEST(UpwardPass, WhatIsTakenOutIsStruck) {
    std::vector branches{branch(4, 1, {4}), branch(5, 3, {11, 12})};
    take_out(branches, {ProcessId{12}});
    EXPECT_EQ(ids(branches.at(1).candidates), (std::vector{11}));
    EXPECT_EQ(branches[1].size, 2);
    EXPECT_EQ(branches[1].taken, (std::vector{ProcessId{12}}));
    take_out(branches, {ProcessId{4}});
    ASSERT_EQ(branches.size(), 1U) << "nobody is left of the first";
    EXPECT_THROW(take_out(branches, {ProcessId{12}}), std::logic_error) << "it is gone";
}

}  // namespace
}  // namespace ductile::tree::upward_pass_test
