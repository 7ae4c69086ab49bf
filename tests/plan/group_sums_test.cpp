#include "plan/group_sums.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <stdexcept>

namespace ductile::plan {
namespace {

std::vector<core::Group> groups_of(const std::vector<int>& sizes) {
    std::vector<core::Group> groups;
    for (const int ranks : sizes) {
        const int n = static_cast<int>(groups.size());
        groups.push_back({core::GroupId{n}, core::HostIndex{n}, ranks});
    }
    return groups;
}

TEST(GroupSums, OfTwoThreeFour) {
    const GroupSums sums(groups_of({2, 3, 4}));
    const struct {
        int ranks, needs;
        std::vector<int> nearest;
    } table[] = {{0, 0, {2}},    {1, 9, {2}},    {2, 1, {3}},    {3, 2, {2, 4}},
                 {4, 3, {3, 5}}, {5, 2, {4, 6}}, {6, 3, {5, 7}}, {7, 3, {6, 9}},
                 {8, 9, {7, 9}}, {9, 3, {7}},    {10, 9, {9}},   {-3, 9, {2}}};
    for (const auto& row : table) {
        for (int k = 0; k <= 3; ++k)
            EXPECT_EQ(sums.reaches(row.ranks, k), k >= row.needs) << row.ranks << " with " << k;
        EXPECT_EQ(sums.nearest(row.ranks), row.nearest) << row.ranks;
    }
}

TEST(GroupSums, OfNoGroup) {
    const GroupSums sums({});
    EXPECT_TRUE(sums.reaches(0, 0));
    EXPECT_FALSE(sums.reaches(1, 0));
    EXPECT_EQ(sums.nearest(1), (std::vector<int>{}));
}

TEST(GroupSums, RefusesAnEmptyGroup) {
    EXPECT_THROW(GroupSums(groups_of({2, 0})), std::invalid_argument);
    EXPECT_THROW(GroupSums(groups_of({-1})), std::invalid_argument);
}

RC_GTEST_PROP(GroupSums, AreThoseOfTheSchoolbook, ()) {
    const int unit = *rc::gen::element(1, 2, 3, 64, 65);
    auto sizes = *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(0, 13),
                                                       rc::gen::inRange(1, 90));
    for (auto& size : sizes) size *= unit;
    const GroupSums sums(groups_of(sizes));
    std::set<int> possible{0};
    int total = 0;
    for (std::size_t k = 0; k <= sizes.size(); ++k) {
        std::vector<int> wrong;
        for (int ranks = -2; ranks <= total + 2; ++ranks)
            if (sums.reaches(ranks, static_cast<int>(k)) != possible.contains(ranks))
                wrong.push_back(ranks);
        RC_ASSERT(wrong == std::vector<int>{});
        if (k == sizes.size()) break;
        total += sizes[k];
        auto with = possible;
        for (const int sum : possible) with.insert(sum + sizes[k]);
        possible = with;
    }
    const int asked = *rc::gen::inRange(-1, total + 3);
    std::vector<int> nearest;
    possible.erase(0);
    const auto above = possible.upper_bound(asked);
    const auto below = possible.lower_bound(asked);
    if (below != possible.begin()) nearest.push_back(*std::prev(below));
    if (above != possible.end()) nearest.push_back(*above);
    RC_ASSERT(sums.nearest(asked) == nearest);
}

}  // namespace
}  // namespace ductile::plan
