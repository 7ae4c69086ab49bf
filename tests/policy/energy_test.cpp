#include "policy/energy.hpp"

#include <gtest/gtest.h>

#include "views_of_jobs.hpp"

namespace ductile::policy::energy_test {
namespace {

JobView job(int ranks, std::optional<PointCost> cost, int slots = 1) {
    auto view = job_of(ranks, slots);
    view.point_cost = cost;
    return view;
}

/// An iteration of one second.
JobView job(int ranks, double joules) {
    return job(ranks, PointCost{1, joules});
}

/// What a policy does that sees these sizes, one after the other.
Decision last_of(Energy& policy, const std::vector<JobView>& sizes, int idle = 9) {
    Decision decision;
    for (const auto& size : sizes) decision = policy.decide(size, {idle, {}}, 0);
    return decision;
}

Decision after(const std::vector<JobView>& sizes, int idle = 9) {
    Energy policy({});
    return last_of(policy, sizes, idle);
}

TEST(Energy, AnUnknownEnergyChangesNothing) {
    auto view = job(4, std::nullopt);
    auto decision = after({view});
    EXPECT_EQ(decision.ranks, std::nullopt);
    EXPECT_EQ(decision.why, "the energy of an iteration at this size is not known yet");
    view.no_power = "node3 has no meter";
    EXPECT_EQ(after({view}).why,
              "the energy of an iteration at this size is not known yet: node3 has no meter");
}

TEST(Energy, ALargerSizeIsTriedFirst) {
    const auto decision = after({job(4, 10)});
    EXPECT_EQ(decision.ranks, 5);
    EXPECT_EQ(decision.hosts, std::nullopt);
    EXPECT_EQ(decision.why,
              "an iteration takes about 1 s and 10 J; the cost at 5 ranks is not known yet");
    EXPECT_EQ(after({job(4, 10)}, 0).ranks, 3) << "if there is no idle host, a smaller one";
    EXPECT_EQ(after({job(4, 10)}, 0).hosts, 3);
}

TEST(Energy, TheJobGrowsWhileSizesAreGood) {
    EXPECT_EQ(after({job(4, 10), job(5, 9)}).ranks, 6);
    EXPECT_EQ(after({job(4, 10), job(5, 10.2)}).ranks, 6) << "about the same";
    const auto back = after({job(4, 10), job(5, 11)});
    EXPECT_EQ(back.ranks, 4);
    EXPECT_EQ(back.hosts, 4);
    EXPECT_EQ(back.why, "an iteration takes about 1 s and 11 J; 4 ranks cost less");
}

TEST(Energy, ThenItTriesSmallerSizesAndTakesTheLargestGoodOne) {
    Energy policy({});
    EXPECT_EQ(last_of(policy, {job(4, 10), job(5, 9.9), job(6, 11)}).ranks, 5);
    EXPECT_EQ(last_of(policy, {job(5, 9.9)}).ranks, 4);
    const auto tries = last_of(policy, {job(4, 10)});
    EXPECT_EQ(tries.ranks, 3);
    EXPECT_EQ(tries.why,
              "an iteration takes about 1 s and 10 J; the cost at 3 ranks is not known yet");
    EXPECT_EQ(last_of(policy, {job(3, 11)}).ranks, 4);
    const auto back = last_of(policy, {job(4, 10)});
    EXPECT_EQ(back.ranks, 5);
    EXPECT_EQ(back.why, "an iteration takes about 1 s and 10 J; 5 ranks cost about as much");
    const auto rests = last_of(policy, {job(5, 9.9)});
    EXPECT_EQ(rests.ranks, std::nullopt);
    EXPECT_EQ(rests.why, "an iteration takes about 1 s and 9.9 J; no size next to it costs less");
}

// Each step changes the cost by less than is measured reliably.
TEST(Energy, AGentleSlopeLeadsToTheBottom) {
    const auto joules = [](int ranks) { return 100 + ranks; };
    Energy policy({});
    int ranks = 40;
    std::optional<int> next = ranks;
    for (int step = 0; step < 200 && next; ++step) {
        ranks = *next;
        next = policy.decide(job(ranks, joules(ranks)), {100, {}}, 0).ranks;
    }
    EXPECT_EQ(ranks, 4) << "the largest size that costs at most 3 % more than one rank";
}

TEST(Energy, AGoodSizeThatIsNotPossibleNowIsSaid) {
    Energy policy({});
    last_of(policy, {job(2, 10), job(1, 12)}, 0);
    const auto decision = last_of(policy, {job(1, 12)}, 0);
    EXPECT_EQ(decision.ranks, std::nullopt);
    EXPECT_EQ(decision.why,
              "an iteration takes about 1 s and 12 J; 2 ranks cost less, but that size is not "
              "possible now");
}

// Slurm shows an idle host that the job never gets.
TEST(Energy, AStepThatFailsIsNotTriedAgainForAWhile) {
    Energy policy({});
    EXPECT_EQ(policy.decide(job(4, 10), {9, {}}, 0).ranks, 5);
    EXPECT_EQ(policy.decide(job(4, 10), {9, {}}, 15).ranks, 3) << "smaller sizes are tried";
    EXPECT_EQ(policy.decide(job(3, 12), {9, {}}, 20).ranks, 4);
    EXPECT_EQ(policy.decide(job(4, 10), {9, {}}, 25).ranks, std::nullopt);
    EXPECT_EQ(policy.decide(job(4, 10), {9, {}}, 75).ranks, 5);
}

TEST(Energy, AJobThatCannotLeaveItsSizeHasNotLeftIt) {
    Energy policy({});
    last_of(policy, {job(2, 10), job(1, 10.1)}, 0);
    for (int again = 0; again < 5; ++again)
        EXPECT_EQ(last_of(policy, {job(1, 10.1)}, 0).ranks, std::nullopt);
    EXPECT_EQ(last_of(policy, {job(1, 10.1)}).ranks, 2);
    EXPECT_EQ(last_of(policy, {job(2, 11), job(3, 12), job(2, 11)}).ranks, 1) << "it can come back";
}

TEST(Energy, ASizeThatWasTooDearIsNotEnteredForAWhile) {
    Energy policy({});
    last_of(policy, {job(4, 10), job(5, 11), job(4, 10), job(3, 12)});
    EXPECT_EQ(policy.decide(job(4, 10), {9, {}}, 599).ranks, std::nullopt);
    EXPECT_EQ(policy.decide(job(4, 10), {9, {}}, 600).ranks, 5);
}

// The energy alone is least on one host, and the time on many. An iteration takes 8 / n + 1
// seconds, and each host draws 1 W.
TEST(Energy, TheWeightOfTheTimeDecidesHowLargeTheJobIs) {
    const auto best = [](double weight) {
        Energy policy(EnergyGoal{weight});
        int ranks = 4;
        for (int step = 0; step < 100; ++step) {
            const double seconds = 8.0 / ranks + 1;
            const auto decision =
                policy.decide(job(ranks, PointCost{seconds, ranks * seconds}), {30, {}}, 0);
            if (!decision.ranks) break;
            ranks = *decision.ranks;
        }
        return ranks;
    };
    EXPECT_EQ(best(0), 1);
    EXPECT_EQ(best(1), 11) << "3 % dearer than 8, where the efficiency is one half";
    EXPECT_GT(best(2), 12);
}

TEST(Energy, StepsKeepTheLimits) {
    auto view = job(4, PointCost{1, 10}, 2);
    EXPECT_EQ(after({view}).ranks, 6) << "a host has two slots";
    view.max = 5;
    EXPECT_EQ(after({view}).ranks, 5);
    view.max = 4;
    EXPECT_EQ(after({view}).ranks, 2);
    view.min = 4;
    EXPECT_EQ(after({view}).ranks, std::nullopt);
}

TEST(Energy, ASmallChangeIsNoNewDecision) {
    Energy policy({});
    auto only = job(4, PointCost{1, 10});
    only.min = only.max = 4;
    const auto first = policy.decide(only, {9, {}}, 0);
    only.point_cost = PointCost{1.05, 10.5};
    EXPECT_EQ(policy.decide(only, {9, {}}, 5), first);
    only.point_cost = PointCost{1.05, 12};
    EXPECT_NE(policy.decide(only, {9, {}}, 10), first);
}

}  // namespace
}  // namespace ductile::policy::energy_test
