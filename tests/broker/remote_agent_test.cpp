// An agent's life: what each event means in each state, and what holds in any order of events.
#include "broker/remote_agent.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>

#include "broker/pause_watch.hpp"

namespace ductile::broker::remote_agent_test {
namespace {

using namespace std::chrono_literals;
namespace e = agent_event;
using Words = std::vector<std::string>;
using Time = RemoteAgent::Time;

std::string word(const agent_effect::SendHeartbeat&) {
    return "heartbeat";
}
std::string word(const agent_effect::EndConnections& end) {
    return "end connections: " + end.why;
}
std::string word(const agent_effect::KillProcess&) {
    return "kill";
}
std::string word(const agent_effect::LeaveProcess&) {
    return "leave";
}
std::string word(const agent_effect::Sweep&) {
    return "sweep";
}
std::string word(const agent_effect::TellUp&) {
    return "up";
}
std::string word(const agent_effect::TellLost& lost) {
    return "lost: " + lost.why;
}
std::string word(const agent_effect::TellGone&) {
    return "gone";
}

class Life {
  public:
    Words on(const e::Any& event) {
        Words said;
        for (const auto& effect : agent.on(event, now, times))
            said.push_back(std::visit([](const auto& one) { return word(one); }, effect));
        return said;
    }
    Words on_all(const std::vector<e::Any>& events) {
        Words last;
        for (const auto& event : events) last = on(event);
        return last;
    }

    Time now{1h};
    AgentTimes times{15s, 1s, 5s};
    RemoteAgent agent{now, 15s};
};

const Words gone{"leave", "gone"};

Words lost(const std::string& why, bool kills = false) {
    Words words{"end connections: dropped", "leave", "sweep", "lost: " + why};
    if (kills) words.insert(words.begin() + 1, "kill");
    return words;
}
Words dropped(bool kills = false) {
    auto words = lost("", kills);
    words.pop_back();
    return words;
}

/// The events that lead to each state.
const std::vector<std::pair<std::string, std::vector<e::Any>>> strategies = {
    {"awaited", {e::ProcessStarted{}}},
    {"connected", {e::ProcessStarted{}, e::Connected{}}},
    {"up", {e::ProcessStarted{}, e::Connected{}, e::StreamConnected{}, e::Hello{}}},
    {"leaving",
     {e::ProcessStarted{}, e::Connected{}, e::StreamConnected{}, e::Hello{}, e::Goodbye{}}},
    {"writing",  // its output is still coming
     {e::ProcessStarted{}, e::Connected{}, e::StreamConnected{}, e::Hello{}, e::Goodbye{},
      e::Disconnected{}}},
    {"exiting",  // its process is waited for
     {e::ProcessStarted{}, e::Connected{}, e::Hello{}, e::Goodbye{}, e::Disconnected{}}},
    {"over", {e::Dropped{}}},
};

struct Row {
    std::string event;
    e::Any what;
    std::vector<Words> said;  ///< in each state of `strategies`
};

const std::string x = "x";
const std::string ended = "the connection to its agent has ended (x)";
const Words none;

const std::vector<Row> table = {
    {"process ended", e::ProcessEnded{x}, {lost(x), none, none, none, none, gone, none}},
    {"connected", e::Connected{}, {none, none, none, none, none, none, none}},
    {"disconnected", e::Disconnected{x}, {none, none, lost(ended), none, none, none, none}},
    {"stream connected", e::StreamConnected{}, {none, none, none, none, none, none, none}},
    {"stream ended", e::StreamDisconnected{}, {none, none, none, none, none, none, none}},
    {"hello", e::Hello{}, {{"up"}, {"up"}, none, none, none, none, none}},
    {"goodbye", e::Goodbye{}, {none, none, none, none, none, none, none}},
    {"heard", e::Heard{}, {none, none, none, none, none, none, none}},
    {"heartbeat",
     e::HeartbeatDue{},
     {none, {"heartbeat"}, {"heartbeat"}, {"heartbeat"}, none, none, none}},
    {"given up",
     e::GivenUp{x},
     {{"end connections: given up", "kill", "lost: x"}, none, none, none, none, none, none}},
    {"dropped",
     e::Dropped{},
     {dropped(true), dropped(true), dropped(), dropped(), dropped(), dropped(), none}},
    {"broker ends",
     e::BrokerEnds{},
     {{"end connections: the broker ends", "kill"},
      {"end connections: the broker ends", "kill"},
      {"end connections: the broker ends"},
      {"end connections: the broker ends"},
      {"end connections: the broker ends"},
      {"end connections: the broker ends"},
      none}},
};

TEST(RemoteAgent, EachEventInEachState) {
    for (const auto& row : table)
        for (std::size_t i = 0; i < strategies.size(); ++i) {
            Life life;
            life.on_all(strategies[i].second);
            EXPECT_EQ(life.on(row.what), row.said.at(i))
                << row.event << " while " << strategies[i].first;
        }
}

TEST(RemoteAgent, OneThatGaveUpAConnectionBeforeItsHelloMayTryAgain) {
    Life life;
    EXPECT_EQ(life.on_all({e::ProcessStarted{}, e::Connected{}, e::Disconnected{x}}), none);
    EXPECT_FALSE(life.agent.is_connected());
    EXPECT_EQ(life.on_all({e::Connected{}, e::Hello{}}), Words{"up"});
    EXPECT_TRUE(life.agent.is_connected());
}

TEST(RemoteAgent, ItIsNotWaitedForAnyLongerWhenItHasTried) {
    Life life;
    life.on_all({e::ProcessStarted{}, e::Connected{}, e::Disconnected{x}});
    life.now += 16s;
    EXPECT_EQ(life.on(e::HeartbeatDue{}), lost("its agent did not connect within 15 s", true));
}

TEST(RemoteAgent, AProcessThatEndsBeforeTheHelloSaysWhy) {
    const std::vector<std::vector<e::Any>> orders = {{e::ProcessEnded{"y"}, e::Disconnected{x}},
                                                     {e::Disconnected{x}, e::ProcessEnded{"y"}}};
    for (const auto& order : orders) {
        Life life;
        life.on_all({e::ProcessStarted{}, e::Connected{}});
        EXPECT_EQ(life.on_all(order), lost("y"));
    }
}

TEST(RemoteAgent, IsConnectedFromItsConnectionToItsEnd) {
    const std::vector<bool> connected{false, true, true, true, false, false, false};
    const std::vector<bool> greeted{false, false, true, true, true, true, false};
    for (std::size_t i = 0; i < strategies.size(); ++i) {
        Life life;
        life.on_all(strategies[i].second);
        EXPECT_EQ(life.agent.is_connected(), connected[i]) << strategies[i].first;
        EXPECT_EQ(life.agent.has_sent_hello(), greeted[i]) << strategies[i].first;
        EXPECT_EQ(life.agent.is_over(), strategies[i].first == "over");
    }
}

TEST(RemoteAgent, IsLostWhenItDoesNotConnectInTime) {
    Life life;
    life.now += 15s;
    EXPECT_EQ(life.on(e::HeartbeatDue{}), none);
    life.now += 1ms;
    EXPECT_EQ(life.on(e::HeartbeatDue{}), lost("its agent did not connect within 15 s"));
}

TEST(RemoteAgent, IsLostWhenItIsSilent) {
    for (const std::string state : {"up", "leaving"}) {
        Life life;
        life.on_all(
            std::ranges::find(strategies, state, &decltype(strategies)::value_type::first)->second);
        life.now += 5s;
        EXPECT_EQ(life.on(e::HeartbeatDue{}), Words{"heartbeat"});
        life.now += 1ms;
        auto said = lost("its agent has been silent for 5 s");
        said.insert(said.begin(), "heartbeat");
        EXPECT_EQ(life.on(e::HeartbeatDue{}), said) << state;
    }
}

TEST(RemoteAgent, WhatIsHeardEndsItsSilence) {
    for (const auto& what : std::vector<e::Any>{e::Heard{}, e::Hello{}, e::Connected{}}) {
        Life life;
        life.on_all({e::Connected{}, e::Hello{}});
        for (int i = 0; i < 3; ++i) {
            life.now += 4s;
            life.on(what);
            EXPECT_EQ(life.on(e::HeartbeatDue{}), Words{"heartbeat"});
        }
    }
}

TEST(RemoteAgent, NobodyIsLostByAPauseOfTheBroker) {
    Life up, awaited;
    up.on_all({e::Connected{}, e::Hello{}});
    for (auto* life : {&up, &awaited}) life->now += 1h;
    EXPECT_EQ(up.on(e::HeartbeatDue{true}), Words{"heartbeat"});
    EXPECT_EQ(awaited.on(e::HeartbeatDue{true}), none);
    up.now += 6s;
    EXPECT_EQ(up.on(e::HeartbeatDue{}).back(), "lost: its agent has been silent for 5 s");
}

TEST(RemoteAgent, ItsProcessIsWaitedForALittle) {
    Life life;
    life.on_all({e::ProcessStarted{}, e::Connected{}, e::Hello{}, e::Goodbye{}});
    EXPECT_EQ(life.on(e::Disconnected{}), none);
    life.now += 1900ms;
    EXPECT_EQ(life.on(e::HeartbeatDue{}), none);
    life.now += 100ms;
    EXPECT_EQ(life.on(e::HeartbeatDue{}), gone)
        << "a remote shell that stays says nothing of the host";
}

TEST(RemoteAgent, AllOfItsOutputIsWaitedFor) {
    Life life;
    life.on_all({e::ProcessStarted{}, e::Connected{}, e::StreamConnected{}, e::Hello{},
                 e::Goodbye{}, e::ProcessEnded{}, e::Disconnected{}});
    life.now += 1h;
    EXPECT_EQ(life.on(e::HeartbeatDue{}), none);
    EXPECT_EQ(life.on(e::StreamDisconnected{}), gone);
}

TEST(RemoteAgent, OneThatAnotherBrokerStartedHasNoProcess) {
    Life life;
    EXPECT_EQ(life.on_all({e::Connected{}, e::Hello{}, e::Goodbye{}, e::Disconnected{}}), gone);
    Life silent;
    EXPECT_EQ(silent.on(e::Dropped{}), dropped()) << "there is nothing to be killed";
}

e::Any event_of(int number) {
    const std::vector<e::Any> all{
        e::ProcessStarted{},     e::ProcessEnded{x}, e::Connected{}, e::Disconnected{x},
        e::StreamConnected{},    e::Hello{},         e::Goodbye{},   e::Heard{},
        e::StreamDisconnected{}, e::HeartbeatDue{},  e::GivenUp{x},  e::Dropped{},
        e::HeartbeatDue{true},   e::BrokerEnds{}};
    return all[static_cast<std::size_t>(number) % all.size()];
}

RC_GTEST_PROP(RemoteAgentInAnyOrder, EndsOnceAndSaysNothingAfterwards, ()) {
    Life life;
    int ups = 0, ends = 0, sweeps = 0, losses = 0, drops = 0;
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 28), rc::gen::inRange(0, 7000)));
    for (const auto& [number, wait] : steps) {
        life.now += std::chrono::milliseconds(wait);
        // The two events that end it silently, Dropped and BrokerEnds, are rarer than the others.
        const auto event = event_of(number % 14 >= 11 && number >= 14 ? 9 : number);
        const bool was_over = life.agent.is_over();
        const auto said = life.on(event);
        RC_ASSERT(!was_over || said.empty());
        for (const auto& what : said) {
            ups += what == "up";
            losses += what.starts_with("lost");
            ends += what == "gone" || what.starts_with("lost");
            sweeps += what == "sweep";
        }
        drops += !was_over && std::holds_alternative<e::Dropped>(event);
        const bool given_up = std::holds_alternative<e::GivenUp>(event) && !said.empty();
        if (given_up) ++sweeps;  // a lost agent that never ran is not swept
        const bool quietly = std::holds_alternative<e::Dropped>(event) ||
                             std::holds_alternative<e::BrokerEnds>(event);
        if (!was_over && life.agent.is_over() && !quietly)
            RC_ASSERT(said.back() == "gone" || said.back().starts_with("lost"));
    }
    RC_ASSERT(ups <= 1);
    RC_ASSERT(ends <= 1);
    RC_ASSERT(sweeps == losses + drops);
}

RC_GTEST_PROP(RemoteAgentInAnyOrder, EndsAtLastWhenItIsSilent, ()) {
    Life life;
    for (const int number : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 11)))
        life.on(event_of(number));
    life.on(e::StreamDisconnected{});  // this also happens when the host is silent
    for (int i = 0; i < 20; ++i) {
        life.now += 1s;
        life.on(e::HeartbeatDue{});
    }
    RC_ASSERT(life.agent.is_over());
}

TEST(PauseWatch, LooksThatAreFarTooLateTellOfAPause) {
    Time now{1h};
    PauseWatch watch(now, 1s);
    EXPECT_FALSE(watch.look(now += 1s));
    EXPECT_FALSE(watch.look(now += 3s)) << "a busy machine";
    EXPECT_TRUE(watch.look(now += 3001ms));
    EXPECT_FALSE(watch.look(now += 1s)) << "once";
}

TEST(AgentTimes, AnAgentThatTheJobCanDoWithoutIsWaitedForBriefly) {
    AgentTimes times;
    EXPECT_EQ(times.back(true), 6s);
    EXPECT_EQ(times.back(false), 3s);
    times.heartbeat_limit = 30s;
    EXPECT_EQ(times.back(true), 31s);
    EXPECT_EQ(times.back(false), 3s);
    times.heartbeat_limit = 1s;
    EXPECT_EQ(times.back(false), 2s);
}

}  // namespace
}  // namespace ductile::broker::remote_agent_test
