#include "broker/spawning.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::broker {
namespace {

using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Layout;
using core::Rank;

const auto sources = Layout::of({{GroupId{0}, HostIndex{0}, 2}, {GroupId{1}, HostIndex{1}, 1}});

Spawning parallel() {
    return {plan::Start::diffusive,
            sources,
            {{1, GroupId{0}, Rank{0}, GroupId{2}}, {2, GroupId{2}, Rank{0}, GroupId{3}}},
            {{GroupId{2}, HostIndex{2}, 1}, {GroupId{3}, HostIndex{3}, 1}}};
}

TEST(Spawning, IsPrecededByALookAtEachHost) {
    auto spawning = parallel();
    EXPECT_FALSE(spawning.all_expecting());
    spawning.expecting(HostIndex{3}, GroupId{3});
    EXPECT_FALSE(spawning.all_expecting());
    EXPECT_THROW(spawning.expecting(HostIndex{3}, GroupId{3}), InputError);
    EXPECT_THROW(spawning.expecting(HostIndex{3}, GroupId{2}), InputError);
    spawning.expecting(HostIndex{2}, GroupId{2});
    EXPECT_TRUE(spawning.all_expecting());
}

TEST(Spawning, LooksAtEachHostOfAGroupThatSpansHosts) {
    Spawning spawning(plan::Start::single, sources, {{1, GroupId{0}, Rank{0}, GroupId{2}}},
                      {{GroupId{2}, HostIndex{2}, 3, {{HostIndex{3}, 1}}}});
    spawning.expecting(HostIndex{2}, GroupId{2});
    EXPECT_FALSE(spawning.all_expecting());
    spawning.expecting(HostIndex{3}, GroupId{2});
    EXPECT_TRUE(spawning.all_expecting());
    EXPECT_EQ(spawning.calls().size(), 1u);
}

TEST(Spawning, IsDoneWhenEachCallHasReturned) {
    auto spawning = parallel();
    EXPECT_FALSE(spawning.is_done()) << "nothing has been ordered";
    EXPECT_TRUE(spawning.open().empty());
    spawning.begin();
    EXPECT_EQ(spawning.open().size(), 2u);
    spawning.ended({GroupId{2}, Rank{0}, GroupId{3}});
    EXPECT_THROW(spawning.ended({GroupId{2}, Rank{0}, GroupId{3}}), InputError);
    EXPECT_THROW(spawning.ended({GroupId{0}, Rank{1}, GroupId{2}}), InputError);
    EXPECT_FALSE(spawning.is_done());
    spawning.ended({GroupId{0}, Rank{0}, GroupId{2}});
    EXPECT_TRUE(spawning.is_done());
}

TEST(Spawning, CallsOfAProcessThatHasEndedAreOver) {
    auto spawning = parallel();
    spawning.begin();
    EXPECT_FALSE(spawning.gone(GroupId{2}, Rank{1}));
    EXPECT_TRUE(spawning.gone(GroupId{2}, Rank{0}));
    EXPECT_FALSE(spawning.gone(GroupId{2}, Rank{0}));
    EXPECT_EQ(spawning.open().size(), 1u);
}

// The hypercube to eight hosts: g0 starts g1, g2, g4; g1 g3, g5; g2 g6; g3 g7.
TEST(Spawning, WhoWasNeverStartedStartsNobody) {
    const auto one = Layout::of({{GroupId{0}, HostIndex{0}, 1}});
    std::vector<Group> added;
    for (int i = 1; i < 8; ++i) added.push_back({GroupId{i}, HostIndex{i}, 1});
    Spawning spawning(plan::Start::hypercube, one, plan::spawn_schedule(one, added), added);
    spawning.begin();
    spawning.ended({GroupId{0}, Rank{0}, GroupId{1}});
    spawning.ended({GroupId{0}, Rank{0}, GroupId{2}});
    EXPECT_TRUE(spawning.gone(GroupId{1}, Rank{0}));
    const std::set<SpawnCall> left{{GroupId{0}, Rank{0}, GroupId{4}},
                                   {GroupId{2}, Rank{0}, GroupId{6}}};
    EXPECT_EQ(spawning.open(), left) << "g3 is not there to start g7";
    EXPECT_NO_THROW(spawning.ended({GroupId{3}, Rank{0}, GroupId{7}})) << "it was all the same";
    EXPECT_THROW(spawning.ended({GroupId{3}, Rank{0}, GroupId{7}}), InputError);
}

TEST(Spawning, OfACollectiveStartIsACallOfEverySource) {
    Spawning spawning(plan::Start::collective, sources, {{1, GroupId{0}, Rank{0}, GroupId{2}}},
                      {{GroupId{2}, HostIndex{2}, 4}});
    const std::vector<SpawnCall> all{{GroupId{0}, Rank{0}, GroupId{2}},
                                     {GroupId{0}, Rank{1}, GroupId{2}},
                                     {GroupId{1}, Rank{0}, GroupId{2}}};
    EXPECT_EQ(spawning.calls(), all);
}

}  // namespace
}  // namespace ductile::broker
