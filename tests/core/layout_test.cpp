#include "core/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

namespace ductile::core {
namespace {

Group group(int id, int host, int ranks) {
    return {GroupId{id}, HostIndex{host}, ranks};
}

/// Three groups on two hosts, ids not in order: ranks 0-1, 2-4 and 5.
const Layout three{{group(4, 1, 2), group(2, 0, 3), group(7, 1, 1)}};

TEST(Layout, AnswersForThreeGroups) {
    EXPECT_EQ(three.size(), 6);
    EXPECT_FALSE(three.empty());
    EXPECT_EQ(three.first_rank(GroupId{4}), Rank{0});
    EXPECT_EQ(three.first_rank(GroupId{2}), Rank{2});
    EXPECT_EQ(three.first_rank(GroupId{7}), Rank{5});
    const int holders[] = {4, 4, 2, 2, 2, 7};
    for (int rank = 0; rank < 6; ++rank)
        EXPECT_EQ(three.group_of(Rank{rank}).id, GroupId{holders[rank]});
    EXPECT_EQ(three.ranks_on(HostIndex{0}), 3);
    EXPECT_EQ(three.ranks_on(HostIndex{1}), 3);
    EXPECT_EQ(three.ranks_on(HostIndex{2}), 0);
    EXPECT_EQ(three.hosts(), (std::vector<HostIndex>{HostIndex{1}, HostIndex{0}}));
    ASSERT_NE(three.find(GroupId{2}), nullptr);
    EXPECT_EQ(*three.find(GroupId{2}), group(2, 0, 3));
    EXPECT_EQ(three.find(GroupId{1}), nullptr);
}

TEST(Layout, LastRanksPark) {
    Layout layout{{group(0, 0, 2), group(1, 1, 4)}};
    const auto parked = layout.with_parked(3);
    EXPECT_EQ(parked.size(), 3);
    EXPECT_EQ(parked.parked(), 3);
    EXPECT_EQ(parked.ranks_on(HostIndex{1}), 1);
    EXPECT_EQ(parked.group_of(Rank{2}).id, GroupId{1});
    EXPECT_EQ(parked.with_parked(-1).size(), 4);
    EXPECT_EQ(parked.with_parked(-3), layout);
    EXPECT_THROW(static_cast<void>(layout.with_parked(4)), std::out_of_range);
    EXPECT_THROW(static_cast<void>(parked.with_parked(-4)), std::out_of_range);
}

/// Ranks 0-1 on host 0, 2-3 on host 1, 4 on host 2.
const Group wide{GroupId{0}, HostIndex{0}, 5, {{HostIndex{1}, 2}, {HostIndex{2}, 1}}};

TEST(Layout, AGroupMaySpanHosts) {
    EXPECT_EQ(wide.shares(),
              (std::vector<Share>{{HostIndex{0}, 2}, {HostIndex{1}, 2}, {HostIndex{2}, 1}}));
    const int holders[] = {0, 0, 1, 1, 2};
    for (int rank = 0; rank < 5; ++rank)
        EXPECT_EQ(wide.host_of(Rank{rank}), HostIndex{holders[rank]});
    EXPECT_THROW((void)wide.host_of(Rank{5}), std::out_of_range);
    EXPECT_THROW((void)wide.host_of(Rank{-1}), std::out_of_range);
    EXPECT_TRUE(wide.spans_hosts());
    const Layout layout{{wide, group(1, 1, 3)}};
    EXPECT_EQ(layout.size(), 8);
    EXPECT_EQ(layout.first_rank(GroupId{1}), Rank{5});
    EXPECT_EQ(layout.ranks_on(HostIndex{0}), 2);
    EXPECT_EQ(layout.ranks_on(HostIndex{1}), 5);
    EXPECT_EQ(layout.hosts(), (std::vector<HostIndex>{HostIndex{0}, HostIndex{1}, HostIndex{2}}));
}

TEST(Layout, AGroupOnOneHostIsAllThere) {
    const auto small = group(1, 3, 2);
    EXPECT_FALSE(small.spans_hosts());
    EXPECT_EQ(small.shares(), (std::vector<Share>{{HostIndex{3}, 2}}));
    EXPECT_EQ(small.host_of(Rank{1}), HostIndex{3});
}

TEST(Layout, RefusesGroupsAndRanksThatAreNotThere) {
    EXPECT_THROW((void)three.first_rank(GroupId{0}), std::out_of_range);
    EXPECT_THROW((void)three.group_of(Rank{6}), std::out_of_range);
    EXPECT_THROW((void)three.group_of(Rank{-1}), std::out_of_range);
    EXPECT_THROW((void)Layout{}.group_of(Rank{0}), std::out_of_range);
}

TEST(Layout, OfNoGroup) {
    EXPECT_TRUE(Layout{}.empty());
    EXPECT_EQ(Layout{}.size(), 0);
    EXPECT_EQ(Layout{}.hosts(), (std::vector<HostIndex>{}));
}

TEST(Layout, ThoseThatStayKeepTheirOrder) {
    EXPECT_EQ(three.without({GroupId{2}}), (Layout{{group(4, 1, 2), group(7, 1, 1)}}));
    EXPECT_EQ(three.without({GroupId{7}, GroupId{4}}), (Layout{{group(2, 0, 3)}}));
    EXPECT_EQ(three.without({}), three);
    EXPECT_EQ(three.without({GroupId{99}}), three);
}

TEST(Layout, NewGroupsComeLast) {
    const auto grown = three.with({group(8, 0, 2), group(9, 3, 1)});
    EXPECT_EQ(grown.size(), 9);
    EXPECT_EQ(grown.first_rank(GroupId{7}), Rank{5}) << "sources keep their ranks";
    EXPECT_EQ(grown.first_rank(GroupId{9}), Rank{8});
    EXPECT_EQ(grown.without({GroupId{8}, GroupId{9}}), three);
}

RC_GTEST_PROP(Layout, EachRankBelongsToTheGroupThatCountsIt, ()) {
    Layout layout;
    for (const int ranks : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5)))
        layout.groups.push_back(
            group(static_cast<int>(layout.groups.size()), *rc::gen::inRange(0, 4), ranks));
    int on_hosts = 0;
    for (const auto host : layout.hosts()) on_hosts += layout.ranks_on(host);
    RC_ASSERT(on_hosts == layout.size());
    for (int rank = 0; rank < layout.size(); ++rank) {
        const auto& holder = layout.group_of(Rank{rank});
        const int in_group = rank - layout.first_rank(holder.id).value;
        RC_ASSERT(in_group >= 0);
        RC_ASSERT(in_group < holder.ranks);
    }
}

}  // namespace
}  // namespace ductile::core
