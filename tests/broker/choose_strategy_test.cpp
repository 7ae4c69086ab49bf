#include "broker/choose_strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "job_view.hpp"

namespace ductile::broker::choose_strategy_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;
using plan::Method;
using plan::Overlap;
using plan::Start;
using plan::Strategy;

/// A job that leaves each choice to Ductile.
JobView open_job(int hosts, int used) {
    auto view = job(hosts, used);
    view.automatic = {true, true, true};
    return view;
}

ResizeRequest to(int size) {
    ResizeRequest request;
    request.goal = NewSize{core::SizeRange::exactly(size)};
    return request;
}

PlannedResize chosen(const ResizeRequest& request, const JobView& view) {
    const auto answer = choose_resize(request, view);
    if (const auto* refused = std::get_if<Refused>(&answer))
        throw std::runtime_error("refused: " + refused->why);
    return std::get<PlannedResize>(answer);
}

/// `known`: what each start costs for a rank, in ms. The cost of any other start is unknown.
plan::CostModel costs(const std::vector<std::pair<std::pair<Start, Overlap>, double>>& known) {
    plan::CostModel model;
    for (const auto& [strategy, ms] : known) model.starts[strategy].spawn = {0, ms / 1e3, 0};
    model.merge = {0, 0.001, 0};
    model.split = {0, 0.0001, 0};
    return model;
}

TEST(ChooseStrategy, WithNothingMeasuredAlgorithm2) {
    const auto view = open_job(4, 2);
    EXPECT_EQ(chosen(to(8), view).strategy,
              (Strategy{Method::merge, Start::launch, Overlap::background}));
    const auto fewer = chosen(to(2), view);
    EXPECT_TRUE(fewer.added.empty());
    EXPECT_EQ(fewer.after, view.layout.without({Rank{2}, Rank{3}}));
    // Any rank may leave, so a shrink never needs fresh processes.
    auto world = view;
    world.layout = core::Layout::of({{GroupId{0}, HostIndex{0}, 4, {{HostIndex{1}, 2}}}});
    EXPECT_EQ(chosen(to(3), world).after, world.layout.without({Rank{3}}));
    EXPECT_TRUE(chosen(to(1), world).added.empty());
}

TEST(ChooseStrategy, WhatTheProgramLosesTheLeastBy) {
    auto view = open_job(4, 1);
    view.costs = costs({{{Start::launch, Overlap::background}, 20},
                        {{Start::launch, Overlap::blocking}, 15},
                        {{Start::collective, Overlap::blocking}, 5}});
    // With omega 1 a start in the background costs the program nothing.
    EXPECT_EQ(chosen(to(8), view).strategy,
              (Strategy{Method::merge, Start::launch, Overlap::background}));
    view.costs.starts.at({Start::launch, Overlap::background}).omega = 4;
    EXPECT_EQ(chosen(to(8), view).strategy,
              (Strategy{Method::merge, Start::collective, Overlap::blocking}));
    EXPECT_NEAR(chosen(to(8), view).cost->total_s, 6 * 0.005 + 8 * 0.001, 1e-9);
    // Parked ranks that come back start nothing.
    auto parked = open_job(4, 2);
    parked.costs = view.costs;
    parked.layout = parked.layout.without({}, {Rank{3}});
    EXPECT_EQ(chosen(to(4), parked).after, open_job(4, 2).layout);
}

TEST(ChooseStrategy, EquallyGoodOnesByTheirTotal) {
    auto view = open_job(4, 1);
    view.layout = core::Layout::of({{GroupId{0}, HostIndex{0}, 1}});
    view.costs = costs({{{Start::launch, Overlap::background}, 20},
                        {{Start::diffusive, Overlap::background}, 10}});
    EXPECT_EQ(chosen(to(8), view).strategy.start,
              Start::diffusive);  // neither costs the program more
    // Two ranks stand still while they start others.
    EXPECT_EQ(chosen(to(8),
                     [&] {
                         auto two = view;
                         two.layout = core::Layout::of({{GroupId{0}, HostIndex{0}, 2}});
                         return two;
                     }())
                  .strategy.start,
              Start::launch);
}

TEST(ChooseStrategy, WhatIsNamedIsNotLeftOpen) {
    auto view = open_job(4, 1);
    view.costs = costs({{{Start::launch, Overlap::background}, 1},
                        {{Start::single, Overlap::blocking}, 9},
                        {{Start::single, Overlap::background}, 8}});
    auto request = to(8);
    request.start = Start::single;
    EXPECT_EQ(chosen(request, view).strategy,
              (Strategy{Method::merge, Start::single, Overlap::background}));
    request.overlap = Overlap::blocking;
    EXPECT_EQ(chosen(request, view).strategy,
              (Strategy{Method::merge, Start::single, Overlap::blocking}));
    request.method = Method::baseline;
    EXPECT_EQ(chosen(request, view).strategy.method, Method::baseline);
    view.automatic = {};
    EXPECT_EQ(chosen(to(8), view).strategy, view.strategy);
    auto asks = to(8);
    asks.method = CheapestStrategy{};  // for this request only
    EXPECT_EQ(
        chosen(asks, view).strategy,
        (Strategy{Method::merge, Start::launch, Overlap::background, plan::Executor::automatic}));
    asks.redistribution = plan::Executor::p2p;
    EXPECT_EQ(chosen(asks, view).strategy.redistribution, plan::Executor::p2p);
}

TEST(ChooseStrategy, WhatIsRefusedIsNotChosen) {
    auto view = open_job(4, 1);
    view.costs = costs({{{Start::launch, Overlap::background}, 100},
                        {{Start::collective, Overlap::background}, 1}});
    view.mpi.spawn_counts_by_host = false;  // 3 hosts
    EXPECT_EQ(chosen(to(8), view).strategy.start, Start::launch);
    view.mpi.spawn = false;
    EXPECT_EQ(chosen(to(4), view).strategy.start, Start::launch);
    const auto none = choose_resize(to(100), view);
    EXPECT_TRUE(std::holds_alternative<Refused>(none));
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(choose_resize(to(2), view)));
}

TEST(ChooseStrategy, AShrinkByMergeIsOneAlternative) {
    const auto all = alternatives(to(2), open_job(4, 2));
    EXPECT_EQ(std::ranges::count_if(
                  all, [](const auto& one) { return one.resize() && one.resize()->added.empty(); }),
              1);
    EXPECT_EQ(all.size(), 11u);  // and baseline: 5 starts, each blocking or in the background
}

TEST(ChooseStrategy, TheTableSaysWhatAndWhy) {
    auto view = open_job(4, 1);
    view.costs = costs(
        {{{Start::launch, Overlap::background}, 10}, {{Start::collective, Overlap::blocking}, 5}});
    const auto all = alternatives(to(8), view);
    const auto text = to_table(all, choose(all));
    EXPECT_NE(text.find("*  merge launch background"), std::string::npos) << text;
    EXPECT_NE(
        text.find(
            "the program loses the least time with it: 8.0 ms; with baseline launch background"),
        std::string::npos)
        << text;
    EXPECT_NE(chosen(to(8), view).table.find("chosen: merge launch background"), std::string::npos);
}

}  // namespace
}  // namespace ductile::broker::choose_strategy_test
