// How an agent judges its broker: each event in each state, and what happens when time passes.
#include "agent/broker_health.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

namespace ductile::agent::broker_health_test {
namespace {

using namespace std::chrono_literals;
namespace event = broker_event;

constexpr auto connecting = BrokerState::connecting, connected = BrokerState::connected,
               unresponsive = BrokerState::unresponsive, unreachable = BrokerState::unreachable,
               gone = BrokerState::gone;
constexpr std::array states = {connecting, connected, unresponsive, unreachable, gone};

struct Bench {
    BrokerHealth health;
    Time now{1000s};
    BrokerEffects effects;

    Bench() { on(event::Started{}); }
    Bench& on(const event::Any& what) {
        effects.clear();
        health.on(what, now, effects);
        return *this;
    }
    /// Brings the BrokerHealth into this state. It has a connection only in `connected`.
    Bench& into(BrokerState state) {
        if (state == connecting) return *this;
        on(event::Heard{});
        if (state == connected) return *this;
        on(event::Closed{});
        if (state == unresponsive) return on(event::Unanswered{});
        return state == unreachable ? on(event::Unreachable{}) : on(event::Refused{});
    }
    Bench& heartbeat_after(Time::duration pause) {
        now += pause;
        return on(event::HeartbeatDue{});
    }
    [[nodiscard]] bool was_frozen() const {
        return std::ranges::any_of(effects, [](const auto& one) {
            return std::holds_alternative<broker_effect::WasFrozen>(one);
        });
    }
    /// The states that the effects report.
    [[nodiscard]] std::vector<BrokerState> told() const {
        std::vector<BrokerState> all;
        for (const auto& one : effects)
            if (const auto* became = std::get_if<broker_effect::StateChanged>(&one))
                all.push_back(became->state);
        return all;
    }
};

TEST(BrokerHealth, EachEventInEachState) {
    const struct {
        event::Any what;
        std::array<BrokerState, 5> after;  // the states above, in their order
    } table[] = {
        {event::Started{}, states},
        {event::Heard{}, {connected, connected, connected, connected, connected}},
        {event::Closed{}, states},
        {event::CutOff{}, {unreachable, unreachable, unreachable, unreachable, unreachable}},
        {event::Refused{}, {connecting, gone, gone, gone, gone}},
        {event::Unanswered{}, {connecting, unresponsive, unresponsive, unresponsive, unresponsive}},
        {event::Unreachable{}, {connecting, unreachable, unreachable, unreachable, unreachable}},
        {event::Unauthenticated{}, states},
        {event::HeartbeatDue{}, states},
    };
    for (const auto& [what, after] : table)
        for (std::size_t i = 0; i < states.size(); ++i) {
            Bench bench;
            bench.into(states[i]).on(what);
            EXPECT_EQ(bench.health.state(), after[i])
                << "event " << what.index() << ": " << to_text(states[i]);
            EXPECT_EQ(bench.told().size(), after[i] == states[i] ? 0u : 1u)
                << "a change is told, and nothing else";
        }
}

TEST(BrokerHealth, ASilentConnectionIsMuteAfterTheLimit) {
    Bench bench;
    bench.health.set_heartbeat({1s, 3s});
    bench.into(connected);
    for (int second = 1; second <= 3; ++second)
        EXPECT_TRUE(bench.heartbeat_after(1s).effects.empty()) << second;
    EXPECT_EQ(bench.heartbeat_after(1s).told(), std::vector{unresponsive});
    EXPECT_TRUE(bench.heartbeat_after(1s).effects.empty()) << "said once";
    EXPECT_EQ(bench.on(event::Heard{}).told(), std::vector{connected});
}

TEST(BrokerHealth, WithoutAConnectionTheNextAttemptJudgesAndNotTheSilence) {
    Bench bench;
    bench.into(connected).on(event::Closed{});
    for (int second = 1; second <= 60; ++second)
        EXPECT_TRUE(bench.heartbeat_after(1s).effects.empty()) << second;
    EXPECT_EQ(bench.on(event::Refused{}).told(), std::vector{gone});
}

TEST(BrokerHealth, AProcessThatWasStoppedHoldsTheSilenceAgainstNobody) {
    Bench bench;
    bench.into(connected);
    EXPECT_FALSE(bench.heartbeat_after(3s).was_frozen());
    EXPECT_TRUE(bench.heartbeat_after(100s).was_frozen());
    EXPECT_EQ(bench.health.state(), connected);
    for (int second = 1; second <= 5; ++second)
        EXPECT_TRUE(bench.heartbeat_after(1s).effects.empty()) << second;
    EXPECT_EQ(bench.heartbeat_after(1s).told(), std::vector{unresponsive})
        << "from then on it counts again";
}

TEST(BrokerHealth, AnUnauthenticatedPeerIsBelievedTheThirdTimeInARow) {
    Bench bench;
    bench.into(connected).on(event::Closed{});
    bench.on(event::Unauthenticated{}).on(event::Unauthenticated{});
    EXPECT_EQ(bench.health.state(), connected);
    bench.on(event::Unanswered{});
    bench.on(event::Unauthenticated{}).on(event::Unauthenticated{});
    EXPECT_EQ(bench.health.state(), unresponsive) << "there was another answer between";
    EXPECT_EQ(bench.on(event::Unauthenticated{}).told(), std::vector{gone});

    Bench fresh;
    for (int i = 0; i < 10; ++i) fresh.on(event::Unauthenticated{});
    EXPECT_EQ(fresh.health.state(), connecting) << "it may still come up";
}

RC_GTEST_PROP(BrokerHealthProperty, EachChangeIsToldAndOnlyAChange, ()) {
    Bench bench;
    const std::vector<event::Any> events = {
        event::Heard{},      event::Closed{},      event::CutOff{},          event::Refused{},
        event::Unanswered{}, event::Unreachable{}, event::Unauthenticated{}, event::HeartbeatDue{}};
    const auto steps = *rc::gen::container<std::vector<std::pair<std::size_t, int>>>(
        rc::gen::pair(rc::gen::inRange<std::size_t>(0, events.size()), rc::gen::inRange(0, 8000)));
    for (const auto& [which, pause] : steps) {
        const auto before = bench.health.state();
        bench.now += std::chrono::milliseconds(pause);
        bench.on(events[which]);
        const auto after = bench.health.state();
        RC_ASSERT(after != connecting || before == connecting);
        RC_ASSERT(bench.told() ==
                  (after == before ? std::vector<BrokerState>{} : std::vector{after}));
    }
}

}  // namespace
}  // namespace ductile::agent::broker_health_test
