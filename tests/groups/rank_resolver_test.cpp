#include "groups/rank_resolver.hpp"

#include <gtest/gtest.h>

namespace ductile::groups::rank_resolver_test {
namespace {

constexpr GroupKey group{7};
constexpr tree::ProcessId self{5}, asker{9};

Ask question(int rank) {
    return {tree::Colour{0}, rank, asker, 3, true, true};
}

TEST(RankResolver, AQuestionGoesDownToTheChildThatHasTheRankBelow) {
    tree::TreePosition position;
    position.self = self;
    position.rank = 2;
    position.size = 9;
    position.children = {{tree::ProcessId{11}, 5}, {tree::ProcessId{12}, 7}};
    RankResolver resolver(self);
    PacketOutbox out;
    resolver.open(group, position, out);
    for (const auto& [rank, receiver] :
         std::vector<std::pair<int, int>>{{2, asker.value}, {5, 11}, {6, 11}, {7, 12}, {8, 12}}) {
        out.clear();
        resolver.on_ask(group, question(rank), out);
        ASSERT_EQ(out.size(), 1u) << rank;
        EXPECT_EQ(out.front().to.value, receiver) << rank;
    }
}

TEST(RankResolver, AQuestionForARankThatNobodyHasEnds) {
    tree::TreePosition leaf;
    leaf.self = self;
    leaf.rank = 2;
    leaf.size = 9;
    auto inner = leaf;
    inner.children = {{tree::ProcessId{11}, 5}};
    for (const auto& position : {leaf, inner}) {
        RankResolver resolver(self);
        PacketOutbox out;
        resolver.open(group, position, out);
        resolver.on_ask(group, question(3), out);
        EXPECT_TRUE(out.empty());
    }
}

}  // namespace
}  // namespace ductile::groups::rank_resolver_test
