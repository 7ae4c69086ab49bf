#include "broker/missing_hosts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "broker/choose_strategy.hpp"
#include "job_view.hpp"

namespace ductile::broker::missing_hosts_test {
namespace {

using core::SizeRange;

ResizeRequest to(SizeRange range, SizeUnit unit = SizeUnit::ranks) {
    ResizeRequest request;
    request.goal = NewSize{range, unit};
    return request;
}

Limits multiples_of(int number) {
    Limits limits;
    limits.multiple.value = number;
    return limits;
}

// ---- the start ----

TEST(HostsToStart, AreAsManyAsTheRanksTake) {
    EXPECT_EQ(hosts_to_start({4, 4}, {}, 1, Aim::largest), (HostWish{4, 1, {}}));
    EXPECT_EQ(hosts_to_start({5, 5}, {}, 2, Aim::largest), (HostWish{3, 2, {}}));
}

TEST(HostsToStart, OfARangeAPartIsOfUse) {
    EXPECT_EQ(hosts_to_start({2, 8}, {}, 2, Aim::largest), (HostWish{4, 2, PartOfUse{2, 1}}));
    EXPECT_EQ(hosts_to_start({2, 8}, {}, 2, Aim::smallest), (HostWish{1, 2, {}}));
    EXPECT_EQ(hosts_to_start({2, 8}, multiples_of(3), 1, Aim::largest),
              (HostWish{6, 1, PartOfUse{3, 3}}));
}

TEST(HostsToStart, AreBesideThoseThatTheJobHas) {
    EXPECT_EQ(hosts_to_start({5, 5}, {}, 2, Aim::largest, 2), (HostWish{2, 2, {}}));
    EXPECT_EQ(hosts_to_start({3, 8}, {}, 2, Aim::largest, 2), (HostWish{3, 2, PartOfUse{1, 1}}));
    EXPECT_FALSE(hosts_to_start({5, 5}, {}, 2, Aim::largest, 5)) << "there is room";
}

TEST(HostsToStart, ThereAreNoneForASizeThatIsNotAllowed) {
    EXPECT_FALSE(hosts_to_start({4, 4}, multiples_of(3), 1, Aim::largest));
    EXPECT_FALSE(hosts_to_start({1 << 20, 1 << 20}, {}, 1, Aim::largest)) << "too many to count";
}

// ---- a resize ----

TEST(HostsToGrow, AreThoseThatThereIsNoRoomFor) {
    // Two of three hosts of 2 slots are full.
    EXPECT_FALSE(hosts_to_grow(to({6, 6}), job(3, 2), 2, Aim::largest)) << "there is room";
    EXPECT_EQ(hosts_to_grow(to({7, 7}), job(3, 2), 2, Aim::largest), (HostWish{1, 2, {}}));
    EXPECT_EQ(hosts_to_grow(to({12, 12}), job(3, 2), 2, Aim::largest), (HostWish{3, 2, {}}));
    EXPECT_EQ(hosts_to_grow(to({12, 12}), job(3, 2), 5, Aim::largest), (HostWish{2, 5, {}}));
}

TEST(HostsToGrow, ASmallerMultipleIsOfUse) {
    auto two = job(2, 2);
    two.limits = multiples_of(2);
    EXPECT_EQ(hosts_to_grow(to({8, 8}), two, 1, Aim::largest), (HostWish{4, 1, PartOfUse{2, 2}}));
    EXPECT_FALSE(hosts_to_grow(to({7, 7}), two, 1, Aim::largest)) << "7 is not allowed";
}

TEST(HostsToGrow, EachSizeIsAMultipleOfOne) {
    auto two = job(2, 2);
    EXPECT_EQ(hosts_to_grow(to({8, 8}), two, 1, Aim::largest), (HostWish{4, 1, {}}))
        << "nothing is said of multiples: that size or none";
    two.limits = multiples_of(1);
    EXPECT_EQ(hosts_to_grow(to({8, 8}), two, 1, Aim::largest), (HostWish{4, 1, PartOfUse{1, 1}}));
}

TEST(HostsToGrow, OfARangeASizeThatTheJobHasNot) {
    EXPECT_EQ(hosts_to_grow(to({2, 8}), job(2, 2), 2, Aim::largest),
              (HostWish{2, 2, PartOfUse{1, 1}}));
    EXPECT_EQ(hosts_to_grow(to({6, 8}), job(2, 2), 2, Aim::largest),
              (HostWish{2, 2, PartOfUse{2, 1}}));
    EXPECT_EQ(hosts_to_grow(to({6, 8}), job(2, 2), 2, Aim::smallest), (HostWish{1, 2, {}}));
    EXPECT_FALSE(hosts_to_grow(to({2, 4}), job(2, 2), 2, Aim::largest)) << "it has its largest";
}

TEST(HostsToGrow, LostHostsAreNoRoom) {
    auto view = job(3, 2);
    view.living.hosts[2].slots = 0;
    view.allocation.hosts[2].slots = 0;
    EXPECT_EQ(hosts_to_grow(to({6, 6}), view, 2, Aim::largest), (HostWish{1, 2, {}}));
}

TEST(HostsToGrow, ParkedRanksComeFirst) {
    auto view = job(2, 2);
    view.layout = view.layout.without({}, {core::Rank{3}});
    EXPECT_FALSE(hosts_to_grow(to({4, 4}), view, 2, Aim::largest));
    EXPECT_EQ(hosts_to_grow(to({6, 6}), view, 2, Aim::largest), (HostWish{1, 2, {}}));
}

TEST(HostsToGrow, CountHostsWhereHostsAreAskedFor) {
    EXPECT_EQ(hosts_to_grow(to({4, 4}, SizeUnit::hosts), job(2, 2), 2, Aim::largest),
              (HostWish{2, 2, {}}));
    EXPECT_FALSE(hosts_to_grow(to({2, 2}, SizeUnit::hosts), job(3, 2), 2, Aim::largest));
}

TEST(HostsToGrow, HelpNoJobThatCannotGrow) {
    auto degraded = job(2, 2);
    degraded.health = Health::final;
    EXPECT_FALSE(hosts_to_grow(to({8, 8}), degraded, 2, Aim::largest));
    ResizeRequest renewal;
    renewal.goal = Renewal{};
    EXPECT_FALSE(hosts_to_grow(renewal, job(2, 2), 2, Aim::largest));
}

/// The requested hosts make the size possible. One host less does not.
RC_GTEST_PROP(HostsToGrow, AreEnoughAndNotTooMany, ()) {
    const auto hosts = *rc::gen::inRange(1, 6);
    auto view = job(hosts, *rc::gen::inRange(1, hosts + 1));
    const int slots = *rc::gen::inRange(1, 5);
    const auto request = to(SizeRange::exactly(*rc::gen::inRange(1, 30)));
    const auto wish = hosts_to_grow(request, view, slots, Aim::largest);
    const auto refused = [&](int more) {
        auto grown = view;
        for (int i = 0; i < more; ++i)
            for (auto* all : {&grown.allocation, &grown.living}) all->hosts.push_back({"", slots});
        return std::holds_alternative<Refused>(choose_resize(request, grown));
    };
    if (!wish) return RC_ASSERT(!refused(0));
    RC_ASSERT(refused(wish->hosts - 1));
    RC_ASSERT(!refused(wish->hosts));
}

}  // namespace
}  // namespace ductile::broker::missing_hosts_test
