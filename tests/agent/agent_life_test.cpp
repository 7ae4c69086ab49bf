// When an agent ends.
#include "agent/agent_life.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace ductile::agent::agent_life_test {
namespace {

using Steps = std::vector<AgentStep>;
constexpr auto report_end = AgentStep::report_end, await_output = AgentStep::await_output,
               finish = AgentStep::finish;

AgentView all_ended() {
    AgentView view;
    view.all_ended = view.output_is_finished = true;
    return view;
}

AgentView without_broker() {
    auto view = all_ended();
    view.broker_is_gone = view.knows_coordinator = true;
    return view;
}

TEST(AgentLife, ABrokerThatIsThereDecides) {
    AgentLife life;
    EXPECT_EQ(life.consider(all_ended()), Steps{}) << "it may start more here";
    life.order_finish();
    EXPECT_TRUE(life.is_working());
    EXPECT_EQ(life.consider({}), Steps{}) << "something still runs";
    EXPECT_EQ(life.consider(all_ended()), Steps{finish});
    EXPECT_TRUE(life.is_finishing());
    EXPECT_EQ(life.code(), 0);
    EXPECT_EQ(life.consider(all_ended()), Steps{}) << "once";
}

TEST(AgentLife, WhatIsEndedIsWaitedForAndItsFirstCodeCounts) {
    AgentLife life;
    EXPECT_TRUE(life.end(3));
    EXPECT_FALSE(life.end(1));
    EXPECT_FALSE(life.is_working());
    life.order_finish();
    EXPECT_EQ(life.consider({}), Steps{});
    EXPECT_EQ(life.consider(all_ended()), Steps{finish});
    EXPECT_FALSE(life.end(1)) << "it finishes";
    EXPECT_EQ(life.code(), 3);
}

TEST(AgentLife, WithoutABrokerItEndsWithTheJob) {
    struct Row {
        const char* what;
        void (*change)(AgentView&);
        Steps steps;
    };
    const Row table[] = {
        {"others run", [](AgentView&) {}, {report_end}},
        {"others have ended",
         [](AgentView& view) { view.others_ended = true; },
         {report_end, finish}},
        {"no coordinator",
         [](AgentView& view) { view.knows_coordinator = false; },
         {report_end, finish}},
        {"nothing ever ran here",
         [](AgentView& view) { view.had_none = true; },
         {report_end, finish}},
        {"the coordinator is heard",
         [](AgentView& view) { view.peers_complete = true; },
         {report_end, finish}},
        {"the coordinator stays",
         [](AgentView& view) { view.is_coordinator = view.peers_complete = true; },
         {report_end}},
        {"a rank has failed",
         [](AgentView& view) { view.has_failed = view.others_ended = true; },
         {}},
        {"something runs here",
         [](AgentView& view) {
             view.all_ended = false;
             view.others_ended = true;
         },
         {}},
        {"the broker may come back", [](AgentView& view) { view.broker_is_gone = false; }, {}},
    };
    for (const auto& row : table) {
        AgentLife life;
        auto view = without_broker();
        row.change(view);
        EXPECT_EQ(life.consider(view), row.steps) << row.what;
    }
}

TEST(AgentLife, WhatRanksHaveWrittenIsAwaited) {
    AgentLife life;
    life.order_finish();
    auto view = all_ended();
    view.output_is_finished = false;
    EXPECT_EQ(life.consider(view), Steps{await_output});
    EXPECT_EQ(life.consider(view), Steps{}) << "it is awaited already";
    EXPECT_TRUE(life.end(1)) << "it can still be ended";
    EXPECT_EQ(life.consider(view), Steps{});
    EXPECT_EQ(life.consider(all_ended()), Steps{finish});
    EXPECT_EQ(life.code(), 1);
}

RC_GTEST_PROP(AgentLifeProperty, ItFinishesOnceAndOnlyWhenNothingRunsHere,
              (std::vector<unsigned> steps)) {
    AgentLife life;
    int finishes = 0, awaits = 0;
    for (const unsigned bits : steps) {
        const auto bit = [bits](int which) { return ((bits >> which) & 1) != 0; };
        if (bit(20) && bit(21)) life.order_finish();
        if (bit(22) && bit(23)) life.end(static_cast<int>(bits % 3));
        const AgentView view{bit(0), bit(1), bit(2), bit(3), bit(4),
                             bit(5), bit(6), bit(7), bit(8)};
        for (const auto step : life.consider(view)) {
            RC_ASSERT(view.all_ended);
            finishes += step == finish;
            awaits += step == await_output;
            RC_ASSERT(step != finish || view.output_is_finished);
        }
    }
    RC_ASSERT(finishes == static_cast<int>(life.is_finishing()));
    RC_ASSERT(awaits <= 1);
}

}  // namespace
}  // namespace ductile::agent::agent_life_test
