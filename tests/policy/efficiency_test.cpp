#include "policy/efficiency.hpp"

#include <gtest/gtest.h>

#include "views_of_jobs.hpp"

namespace ductile::policy::efficiency_test {
namespace {

constexpr EfficiencyGoal goal{0.8, 0.05};

JobView job(int ranks, std::optional<double> efficiency, int slots = 1) {
    auto view = job_of(ranks, slots);
    view.efficiency = efficiency;
    return view;
}

Decision decide(const JobView& view, int idle) {
    Efficiency policy(goal);
    return policy.decide(view, {idle, {}}, 0);
}

TEST(Efficiency, TheJobGrowsAboveTheBandAndShrinksBelowIt) {
    const struct {
        double efficiency;
        std::optional<int> ranks, hosts;
    } table[] = {{1.0, 5, {}},   {0.86, 5, {}}, {0.85, {}, {}}, {0.8, {}, {}},
                 {0.75, {}, {}}, {0.74, 3, 3},  {0, 3, 3}};
    for (const auto& row : table) {
        const auto decision = decide(job(4, row.efficiency), 9);
        EXPECT_EQ(decision.ranks, row.ranks) << row.efficiency;
        EXPECT_EQ(decision.hosts, row.hosts) << row.efficiency;
    }
}

TEST(Efficiency, AnUnknownEfficiencyChangesNothing) {
    const auto decision = decide(job(4, std::nullopt), 9);
    EXPECT_EQ(decision.ranks, std::nullopt);
    EXPECT_EQ(decision.why, "the efficiency at this size is not known yet");
}

TEST(Efficiency, TheJobGrowsByAsFewHostsAsItsSizesAllow) {
    auto view = job(4, 0.9, 4);
    EXPECT_EQ(decide(view, 5).ranks, 8);
    view.free_slots = 3;
    EXPECT_EQ(decide(view, 5).ranks, 8) << "three of its own slots, and one host";
    EXPECT_EQ(decide(view, 0).ranks, 7);
    view.free_slots = 9;
    EXPECT_EQ(decide(view, 0).ranks, 8) << "two of its own hosts have no ranks";
    view.free_slots = 0;
    view.multiple = 3;
    EXPECT_EQ(decide(view, 5).ranks, 6);
    view.multiple = 10;
    EXPECT_EQ(decide(view, 5).ranks, 10);
    EXPECT_EQ(decide(view, 1).ranks, std::nullopt);
    view.multiple = 0;
    view.max = 6;
    EXPECT_EQ(decide(view, 5).ranks, 6);
}

TEST(Efficiency, TheJobShrinksByAsFewHostsAsItsSizesAllow) {
    EXPECT_EQ(decide(job(7, 0.5, 2), 0).ranks, 6) << "the last host has one rank";
    EXPECT_EQ(decide(job(8, 0.5, 2), 0).ranks, 6);
    auto view = job(8, 0.5);
    view.multiple = 4;
    EXPECT_EQ(decide(view, 0).ranks, 4);
    for (auto& host : view.hosts) host.is_returnable = false;
    EXPECT_EQ(decide(view, 0).ranks, 4) << "also a host that others cannot use";
    view.multiple = 0;
    view.min = 8;
    EXPECT_EQ(decide(view, 0).ranks, std::nullopt);
    EXPECT_EQ(decide(job(1, 0.5), 0).ranks, std::nullopt);
}

TEST(Efficiency, ASizeThatWasTooLargeIsNotEnteredForAWhile) {
    Efficiency policy(goal);
    EXPECT_EQ(policy.decide(job(4, 0.7), {9, {}}, 100).ranks, 3);
    for (const double now_s : {110.0, 699.0}) {
        const auto decision = policy.decide(job(3, 0.9), {9, {}}, now_s);
        EXPECT_EQ(decision.ranks, std::nullopt) << now_s;
        EXPECT_EQ(decision.why,
                  "the efficiency is about 0.90, above 0.85; at 4 ranks it was too low less than "
                  "600 s ago");
        EXPECT_EQ(policy.decide(job(2, 0.9), {9, {}}, now_s).ranks, 3) << now_s;
        EXPECT_EQ(policy.decide(job(6, 0.9), {9, {}}, now_s).ranks, std::nullopt) << now_s;
    }
    EXPECT_EQ(policy.decide(job(3, 0.9), {9, {}}, 700).ranks, 4);
}

TEST(Efficiency, TheSmallestSizeMayBeTooLarge) {
    Efficiency policy(goal);
    policy.decide(job(1, 0.7), {9, {}}, 0);
    EXPECT_EQ(policy.decide(job(1, 0.9), {9, {}}, 5).ranks, std::nullopt);
    EXPECT_EQ(policy.decide(job(1, 0.9), {9, {}}, 600).ranks, 2);
}

// A person has made the job larger meanwhile.
TEST(Efficiency, EachSizeThatWasTooLargeIsRemembered) {
    Efficiency policy(goal);
    policy.decide(job(4, 0.7), {9, {}}, 0);
    policy.decide(job(8, 0.7), {9, {}}, 300);
    EXPECT_EQ(policy.decide(job(3, 0.9), {9, {}}, 700).ranks, 4);
    EXPECT_EQ(policy.decide(job(7, 0.9), {9, {}}, 700).ranks, std::nullopt);
    EXPECT_EQ(policy.decide(job(7, 0.9), {9, {}}, 900).ranks, 8);
}

TEST(Efficiency, TheReasonHasTheNumbers) {
    EXPECT_EQ(decide(job(4, 0.91), 3).why,
              "the efficiency is about 0.91, above 0.85; 0 slots of the job and 3 hosts are free");
    EXPECT_EQ(decide(job(4, 0.91), 0).why,
              "the efficiency is about 0.91, above 0.85; only 0 slots of the job and 0 hosts are "
              "free");
    auto limited = job(4, 0.91);
    limited.max = 4;
    EXPECT_EQ(decide(limited, 3).why,
              "the efficiency is about 0.91, above 0.85; the limits allow no larger size");
    EXPECT_EQ(decide(job(4, 0.8), 3).why, "the efficiency is about 0.80, between 0.75 and 0.85");
    EXPECT_EQ(decide(job(4, 0.5), 3).why, "the efficiency is about 0.50, below 0.75");
    EXPECT_EQ(decide(job(1, 0.5), 3).why,
              "the efficiency is about 0.50, below 0.75; the limits allow no smaller size");
}

TEST(Efficiency, ASmallChangeIsNoNewDecision) {
    Efficiency policy(goal);
    const auto first = policy.decide(job(4, 0.80), {9, {}}, 0);
    EXPECT_EQ(policy.decide(job(4, 0.82), {9, {}}, 5), first);
    EXPECT_NE(policy.decide(job(4, 0.84), {9, {}}, 10), first);
}

}  // namespace
}  // namespace ductile::policy::efficiency_test
