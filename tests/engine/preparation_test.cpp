// The program prepares its next place (on_prepare), and the rank waits for this.
#include "engine/preparation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fake_channel.hpp"

namespace ductile::engine::preparation_test {
namespace {

constexpr core::TransactionId first{3}, second{4};
constexpr core::Process self{core::GroupId{1}, core::Rank{1}};

core::Layout layout(std::initializer_list<int> groups) {
    std::vector<core::Group> all;
    for (const int id : groups) all.push_back({core::GroupId{id}, core::HostIndex{id}, 2});
    return core::Layout::of(all);
}

constexpr auto soon = std::chrono::milliseconds(1);

struct PreparationTest : testing::Test {
    std::shared_ptr<Hooks> hooks = std::make_shared<Hooks>();
    FakeChannel agent;
    Preparation preparation{agent, hooks, self};

    /// Waits until the preparation has ended. Returns the messages of the rank since the last call.
    std::vector<wire::FromRank> said_of(core::TransactionId transaction) {
        while (preparation.is_open(transaction)) std::this_thread::sleep_for(soon);
        preparation.finish();
        return agent.take();
    }
    void expect_well(core::TransactionId transaction) {
        const auto said = said_of(transaction);
        ASSERT_EQ(said.size(), 2u);
        for (const bool begins : {true, false}) {
            const auto& word = std::get<wire::Preparing>(said[begins ? 0 : 1]);
            EXPECT_EQ(word.transaction, transaction);
            EXPECT_EQ(word.on, begins);
        }
    }
    void expect_failed(core::TransactionId transaction, const std::string& why) {
        const auto said = said_of(transaction);
        ASSERT_EQ(said.size(), 2u);
        const auto& failed = std::get<wire::SwitchFailed>(said[1]);
        EXPECT_EQ(failed.transaction, transaction);
        EXPECT_EQ(failed.why, "the program's on_prepare function failed: " + why);
    }
};

TEST_F(PreparationTest, IsMadeOnceForTheRanksPlaceAfterwards) {
    std::vector<std::pair<int, int>> places;
    hooks->schema.on_prepare([&](Place place) { places.emplace_back(place.rank, place.size); });
    preparation.begin(first, layout({0, 1, 2}));
    preparation.begin(first, layout({0, 1, 2}));
    expect_well(first);
    preparation.begin(second, layout({1}));
    expect_well(second);
    EXPECT_EQ(places, (std::vector<std::pair<int, int>>{{3, 6}, {1, 2}}));
}

TEST_F(PreparationTest, IsNothingForWhoLeaves) {
    hooks->schema.on_prepare([](Place) { throw std::runtime_error("nobody asked"); });
    preparation.begin(first, layout({0, 2}));
    EXPECT_FALSE(preparation.is_open(first));
    EXPECT_TRUE(said_of(first).empty());
    EXPECT_NO_THROW(preparation.make(layout({0, 2})));
}

TEST_F(PreparationTest, WhatIsThrownSpeaksAgainstThisResizeAlone) {
    bool disk_full = true;
    hooks->schema.on_prepare([&](Place) {
        if (disk_full) throw std::runtime_error("the disk is full");
    });
    preparation.begin(first, layout({0, 1}));
    expect_failed(first, "the disk is full");
    EXPECT_THROW(preparation.make(layout({0, 1})), ProgramFailed);
    disk_full = false;
    preparation.begin(second, layout({0, 1}));
    expect_well(second);
}

TEST_F(PreparationTest, WhatIsThrownMayBeOfAnyType) {
    hooks->schema.on_prepare([&](Place) { throw 42; });
    preparation.begin(first, layout({0, 1}));
    expect_failed(first, "an exception of unknown type");
    EXPECT_THROW(preparation.make(layout({0, 1})), ProgramFailed);
}

TEST_F(PreparationTest, WhoWaitsForItsEndSaysSo) {
    using namespace std::chrono_literals;
    std::promise<void> open;
    hooks->schema.on_prepare([gate = open.get_future().share()](Place) { gate.wait(); });
    int said = 0;
    preparation.finish([&] { ++said; }, 0ms);
    EXPECT_EQ(said, 0) << "nothing is under way";
    preparation.begin(first, layout({0, 1}));
    preparation.finish(
        [&] {
            ++said;
            open.set_value();
        },
        1ms);
    EXPECT_EQ(said, 1);
    EXPECT_FALSE(preparation.is_open(first));
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
    EXPECT_TRUE(preparation.is_open(first));
    preparation.begin(second, layout({1, 2}));
    EXPECT_TRUE(preparation.is_open(second));
    open.set_value();
    EXPECT_EQ(said_of(second).size(), 4u);
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
