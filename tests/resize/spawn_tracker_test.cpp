#include "resize/spawn_tracker.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::resize::spawn_tracker_test {
namespace {

using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Layout;
using core::Rank;

const auto sources = Layout::of({{GroupId{0}, HostIndex{0}, 2}, {GroupId{1}, HostIndex{1}, 1}});

SpawnTracker parallel() {
    return {plan::Start::diffusive,
            sources,
            {{1, GroupId{0}, Rank{0}, GroupId{2}}, {2, GroupId{2}, Rank{0}, GroupId{3}}},
            {{GroupId{2}, HostIndex{2}, 1}, {GroupId{3}, HostIndex{3}, 1}}};
}

TEST(SpawnTracker, IsPrecededByALookAtEachHost) {
    auto tracker = parallel();
    EXPECT_FALSE(tracker.all_expecting());
    tracker.expecting(HostIndex{3}, GroupId{3});
    EXPECT_FALSE(tracker.all_expecting());
    EXPECT_THROW(tracker.expecting(HostIndex{3}, GroupId{3}), InputError);
    EXPECT_THROW(tracker.expecting(HostIndex{3}, GroupId{2}), InputError);
    tracker.expecting(HostIndex{2}, GroupId{2});
    EXPECT_TRUE(tracker.all_expecting());
}

TEST(SpawnTracker, LooksAtEachHostOfAGroupThatSpansHosts) {
    SpawnTracker tracker(plan::Start::single, sources, {{1, GroupId{0}, Rank{0}, GroupId{2}}},
                         {{GroupId{2}, HostIndex{2}, 3, {{HostIndex{3}, 1}}}});
    tracker.expecting(HostIndex{2}, GroupId{2});
    EXPECT_FALSE(tracker.all_expecting());
    tracker.expecting(HostIndex{3}, GroupId{2});
    EXPECT_TRUE(tracker.all_expecting());
    EXPECT_EQ(tracker.calls().size(), 1u);
}

TEST(SpawnTracker, IsDoneWhenEachCallHasReturned) {
    auto tracker = parallel();
    EXPECT_FALSE(tracker.is_done()) << "nothing has been ordered";
    EXPECT_TRUE(tracker.open().empty());
    tracker.begin();
    EXPECT_EQ(tracker.open().size(), 2u);
    tracker.ended({GroupId{2}, Rank{0}, GroupId{3}});
    EXPECT_THROW(tracker.ended({GroupId{2}, Rank{0}, GroupId{3}}), InputError);
    EXPECT_THROW(tracker.ended({GroupId{0}, Rank{1}, GroupId{2}}), InputError);
    EXPECT_FALSE(tracker.is_done());
    tracker.ended({GroupId{0}, Rank{0}, GroupId{2}});
    EXPECT_TRUE(tracker.is_done());
}

TEST(SpawnTracker, CallsOfAProcessThatHasEndedAreOver) {
    auto tracker = parallel();
    tracker.begin();
    EXPECT_FALSE(tracker.gone(GroupId{2}, Rank{1}));
    EXPECT_TRUE(tracker.gone(GroupId{2}, Rank{0}));
    EXPECT_FALSE(tracker.gone(GroupId{2}, Rank{0}));
    EXPECT_EQ(tracker.open().size(), 1u);
}

// The hypercube to eight hosts: g0 starts g1, g2 and g4; g1 starts g3 and g5; g2 starts g6; g3
// starts g7.
TEST(SpawnTracker, WhoWasNeverStartedStartsNobody) {
    const auto one = Layout::of({{GroupId{0}, HostIndex{0}, 1}});
    std::vector<Group> added;
    for (int i = 1; i < 8; ++i) added.push_back({GroupId{i}, HostIndex{i}, 1});
    SpawnTracker tracker(plan::Start::hypercube, one, plan::spawn_schedule(one, added), added);
    tracker.begin();
    tracker.ended({GroupId{0}, Rank{0}, GroupId{1}});
    tracker.ended({GroupId{0}, Rank{0}, GroupId{2}});
    EXPECT_TRUE(tracker.gone(GroupId{1}, Rank{0}));
    const std::set<SpawnCall> left{{GroupId{0}, Rank{0}, GroupId{4}},
                                   {GroupId{2}, Rank{0}, GroupId{6}}};
    EXPECT_EQ(tracker.open(), left) << "g3 is not there to start g7";
    EXPECT_NO_THROW(tracker.ended({GroupId{3}, Rank{0}, GroupId{7}})) << "it was all the same";
    EXPECT_THROW(tracker.ended({GroupId{3}, Rank{0}, GroupId{7}}), InputError);
}

TEST(SpawnTracker, OfACollectiveStartIsACallOfEverySource) {
    SpawnTracker tracker(plan::Start::collective, sources, {{1, GroupId{0}, Rank{0}, GroupId{2}}},
                         {{GroupId{2}, HostIndex{2}, 4}});
    const std::vector<SpawnCall> all{{GroupId{0}, Rank{0}, GroupId{2}},
                                     {GroupId{0}, Rank{1}, GroupId{2}},
                                     {GroupId{1}, Rank{0}, GroupId{2}}};
    EXPECT_EQ(tracker.calls(), all);
}

}  // namespace
}  // namespace ductile::resize::spawn_tracker_test
