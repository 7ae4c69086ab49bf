#include "policy/preferred.hpp"

#include <gtest/gtest.h>

#include "views_of_jobs.hpp"

namespace ductile::policy::preferred_test {
namespace {

JobView job(int ranks, int preferred) {
    auto view = job_of(ranks);
    view.preferred = preferred;
    return view;
}

std::optional<int> size(const JobView& view, int idle) {
    Preferred policy;
    return policy.decide(view, {idle, {}}, 0).ranks;
}

TEST(Preferred, TheJobGoesToItsPreferredSize) {
    EXPECT_EQ(size(job(4, 4), 5), std::nullopt);
    EXPECT_EQ(size(job(4, 6), 5), 6);
    EXPECT_EQ(size(job(4, 6), 1), 5);
    EXPECT_EQ(size(job(4, 6), 0), std::nullopt);
    EXPECT_EQ(size(job(6, 4), 0), 4);
}

TEST(Preferred, WithoutAPreferredSizeNothingHappens) {
    EXPECT_EQ(size(job(4, 0), 5), std::nullopt);
}

TEST(Preferred, TheLimitsHold) {
    auto limited = job(4, 7);
    limited.multiple = 2;
    EXPECT_EQ(size(limited, 9), 6);
    limited.max = 4;
    EXPECT_EQ(size(limited, 9), std::nullopt);
    auto too_large = job(8, 3);
    too_large.min = 4;
    EXPECT_EQ(size(too_large, 9), std::nullopt);
}

TEST(Policies, HaveNames) {
    for (const auto kind : all_kinds) EXPECT_EQ(kind_named(to_string(kind)), kind);
    EXPECT_EQ(kind_named("unnatural"), std::nullopt);
    EXPECT_EQ(make_policy(Kind::manual), nullptr);
    EXPECT_NE(make_policy(Kind::natural), nullptr);
    EXPECT_NE(make_policy(Kind::preferred), nullptr);
    EXPECT_NE(make_policy(Kind::efficiency), nullptr);
}

}  // namespace
}  // namespace ductile::policy::preferred_test
