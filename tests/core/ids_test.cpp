#include "core/ids.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace ductile::core::ids_test {
namespace {

static_assert(!std::is_convertible_v<GroupId, HostIndex>, "a group is not taken for a host");
static_assert(!std::is_constructible_v<HostIndex, GroupId>);
static_assert(!std::is_convertible_v<int, Rank>, "a bare number is not taken for a rank");
static_assert(GroupId{} == GroupId{0});

TEST(Id, ComparesByValue) {
    EXPECT_LT(Rank{2}, Rank{10});
    EXPECT_NE(Rank{2}, Rank{3});
    EXPECT_GE(GroupId{3}, GroupId{3});
}

TEST(Id, IsAKeyOfHashedContainers) {
    const std::unordered_set<GroupId> ids{GroupId{1}, GroupId{2}, GroupId{1}};
    EXPECT_EQ(ids.size(), 2U);
    EXPECT_TRUE(ids.contains(GroupId{2}));
    EXPECT_FALSE(ids.contains(GroupId{3}));
}

}  // namespace
}  // namespace ductile::core::ids_test
