// The program's own work for its next place, and who waits for it.
#include "engine/preparation.hpp"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <vector>

namespace ductile::engine::preparation_test {
namespace {

constexpr core::TransactionId first{3}, second{4};
constexpr core::Process self{core::GroupId{1}, core::Rank{1}};

core::Layout layout(std::initializer_list<int> groups) {
    std::vector<core::Group> all;
    for (const int id : groups) all.push_back({core::GroupId{id}, core::HostIndex{id}, 2});
    return core::Layout::of(all);
}

bool never() {
    return false;
}

struct PreparationTest : testing::Test {
    std::shared_ptr<Hooks> hooks = std::make_shared<Hooks>();
    Preparation preparation{hooks, self};
};

TEST_F(PreparationTest, IsMadeOnceForTheRanksPlaceAfterwards) {
    std::vector<std::pair<int, int>> places;
    hooks->schema.on_prepare([&](Place place) { places.emplace_back(place.rank, place.size); });
    preparation.begin(first, layout({0, 1, 2}));
    preparation.begin(first, layout({0, 1, 2}));
    EXPECT_FALSE(preparation.wait(first, never));
    preparation.begin(second, layout({1}));
    EXPECT_FALSE(preparation.wait(second, never));
    EXPECT_EQ(places, (std::vector<std::pair<int, int>>{{3, 6}, {1, 2}}));
}

TEST_F(PreparationTest, IsNothingForWhoLeaves) {
    hooks->schema.on_prepare([](Place) { throw std::runtime_error("nobody asked"); });
    preparation.begin(first, layout({0, 2}));
    EXPECT_FALSE(preparation.wait(first, never));
    EXPECT_NO_THROW(preparation.make(layout({0, 2})));
}

TEST_F(PreparationTest, WhatIsThrownSpeaksAgainstThisResizeAlone) {
    bool disk_full = true;
    hooks->schema.on_prepare([&](Place) {
        if (disk_full) throw std::runtime_error("the disk is full");
    });
    preparation.begin(first, layout({0, 1}));
    EXPECT_EQ(preparation.wait(first, never),
              "what the program prepares for a resize failed: the disk is full");
    EXPECT_THROW(preparation.make(layout({0, 1})), ProgramFailed);
    disk_full = false;
    preparation.begin(second, layout({0, 1}));
    EXPECT_FALSE(preparation.wait(second, never));
}

TEST_F(PreparationTest, ALaterOneWaitsForOneThatWasGivenUp) {
    std::promise<void> open;
    std::atomic<int> calls = 0, ended = 0;
    hooks->schema.on_prepare([&, gate = open.get_future().share()](Place) {
        EXPECT_EQ(calls++, ended);
        gate.wait();
        ++ended;
    });
    preparation.begin(first, layout({0, 1}));
    EXPECT_TRUE(preparation.wait(first, [] { return true; }));
    preparation.begin(second, layout({1, 2}));
    EXPECT_TRUE(preparation.wait(second, [] { return true; }));
    open.set_value();
    EXPECT_FALSE(preparation.wait(second, never));
    EXPECT_EQ(ended, 2);
}

TEST_F(PreparationTest, EndsBeforeTheProgramDoes) {
    std::promise<void> open;
    std::atomic<bool> ended = false;
    hooks->schema.on_prepare([&, gate = open.get_future().share()](Place) {
        gate.wait();
        ended = true;
    });
    preparation.begin(first, layout({0, 1}));
    const auto opener = std::async([&] { open.set_value(); });
    preparation.finish();
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace ductile::engine::preparation_test
