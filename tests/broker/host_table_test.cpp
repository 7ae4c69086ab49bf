#include "broker/host_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "broker/host_table_json.hpp"
#include "core/overloaded.hpp"
#include "ductile/error.hpp"

namespace ductile::broker::host_table_test {
namespace {

using core::HostIndex;
using core::TransactionId;
using rms::Denied;
using rms::Granted;
using rms::RequestId;
using std::chrono::milliseconds;

WallTime at(int time) {
    return WallTime{milliseconds(time)};
}

std::string names(const std::vector<HostIndex>& hosts) {
    std::string text;
    for (const auto host : hosts) text += " " + std::to_string(host.value);
    return text;
}

std::string text_of(const HostEffect& effect) {
    struct Text {
        std::string operator()(const AskHosts& ask) const {
            return fmt::format("ask {} for {}", ask.id.value, ask.request.hosts);
        }
        std::string operator()(const CancelRequest& cancel) const {
            return fmt::format("cancel {}", cancel.id.value);
        }
        std::string operator()(const ReleaseHost& release) const {
            return "release " + release.name;
        }
        std::string operator()(const HostsReady& ready) const {
            return fmt::format("ready for {}:{}", ready.wanted_by.value, names(ready.hosts));
        }
        std::string operator()(const HostsDenied& denied) const {
            return fmt::format("denied to {}: {}", denied.wanted_by.value, denied.reason);
        }
        std::string operator()(const HostMustGo& must) const {
            return fmt::format("must go {} at {}", must.host.value,
                               must.deadline.time_since_epoch().count());
        }
        std::string operator()(const HostLost& lost) const {
            return fmt::format("lost {}", lost.host.value);
        }
    };
    return std::visit(Text{}, effect);
}

std::string text_of(const HostEffects& effects) {
    std::string text;
    for (const auto& effect : effects) text += (text.empty() ? "" : "; ") + text_of(effect);
    return text;
}

constexpr std::array state_names{"reserved", "idle", "starting", "up",
                                 "draining", "lost", "avoided",  "released"};
static_assert(state_names.size() == std::variant_size_v<host::State>);

class HostTableTest : public ::testing::Test {
  protected:
    std::string tell(const HostEvent& event) { return text_of(table.on(event)); }
    std::string want(int hosts, std::optional<PartOfUse> part = std::nullopt,
                     rms::HostConstraints constraints = {}) {
        return tell(
            HostsWanted{{TransactionId{7}, {hosts, std::move(constraints)}, part, at(100)}});
    }
    [[nodiscard]] std::string state(int host) const {
        return state_names.at(table.state().hosts.at(static_cast<std::size_t>(host)).state.index());
    }

    HostTable table{IdleHosts::given_back, core::Allocation{}};
};

// --- requests

TEST_F(HostTableTest, HostsAreReadyWhenAllHaveCome) {
    EXPECT_EQ(want(2), "ask 1 for 2");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"a", 2}, {"b", 2}}, true}), "ready for 7: 0 1");
    EXPECT_EQ(state(1), "idle");
    EXPECT_TRUE(table.state().requests.empty());
}

TEST_F(HostTableTest, TheyMayComeInParts) {
    want(3);
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"a", 2}}, false}), "");
    EXPECT_EQ(state(0), "reserved");
    EXPECT_EQ(tell(Granted{RequestId{1}, {}, false}), "");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"b", 2}, {"c", 2}}, true}), "ready for 7: 0 1 2");
}

TEST_F(HostTableTest, ARequestThatIsCompleteButNotClosedIsCancelled) {
    want(1);
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"a", 2}}, false}), "cancel 1; ready for 7: 0");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"b", 2}}, false}), "release b");
    EXPECT_EQ(tell(Denied{RequestId{1}, "cancelled"}), "");
    EXPECT_TRUE(table.state().requests.empty());
}

TEST_F(HostTableTest, ALatePartIsKeptUntilTheDeadlineAndUsedIfItFits) {
    want(4, PartOfUse{2, 4});  // 2, 6, 10, ... slots are of use
    tell(Granted{RequestId{1}, {{"a", 3}, {"b", 3}, {"c", 3}}, false});
    EXPECT_EQ(table.next_deadline(), at(100));
    EXPECT_EQ(tell(TimeIs{at(99)}), "");
    EXPECT_EQ(tell(TimeIs{at(100)}), "cancel 1; release c; ready for 7: 0 1");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"d", 3}}, true}), "release d");
    EXPECT_TRUE(table.state().requests.empty());
}

TEST_F(HostTableTest, APartThatIsOfNoUseIsGivenBack) {
    want(4, PartOfUse{8, 1});
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"a", 3}}, true}),
              "release a; denied to 7: 1 of 4 hosts were granted, and none will follow");
    want(2);
    tell(Granted{RequestId{2}, {{"a", 3}}, false});
    EXPECT_EQ(tell(TimeIs{at(100)}),
              "cancel 2; release a; denied to 7: 1 of 2 hosts were granted in time");
}

TEST_F(HostTableTest, ADenialAfterAPartLeavesThePart) {
    want(2, PartOfUse{1, 1});
    tell(Granted{RequestId{1}, {{"a", 3}}, false});
    EXPECT_EQ(tell(Denied{RequestId{1}, "no more"}), "ready for 7: 0");
}

TEST_F(HostTableTest, ADenialIsPassedOnOnce) {
    want(2);
    EXPECT_EQ(tell(Denied{RequestId{1}, "none free"}), "denied to 7: none free");
    EXPECT_EQ(tell(Denied{RequestId{1}, "none free"}), "");
    EXPECT_EQ(tell(TimeIs{at(100)}), "");
}

TEST_F(HostTableTest, WhatComesAfterAWithdrawalIsGivenBack) {
    want(3);
    tell(Granted{RequestId{1}, {{"a", 1}}, false});
    EXPECT_EQ(tell(HostsWithdrawn{TransactionId{7}}), "cancel 1; release a");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"a", 1}, {"b", 1}}, false}), "release a; release b");
    EXPECT_EQ(tell(Denied{RequestId{1}, "cancelled"}), "");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"b", 1}}, true}), "") << "said twice";
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"c", 1}}, true}), "release c") << "said too late";
    EXPECT_TRUE(table.all_released());
}

TEST_F(HostTableTest, RepetitionsAreDropped) {
    want(2);
    const Granted granted{RequestId{1}, {{"a", 1}, {"a", 1}}, false};
    EXPECT_EQ(tell(granted), "");
    EXPECT_EQ(tell(granted), "");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"b", 1}}, true}), "ready for 7: 0 1");
    tell(AgentStarting{HostIndex{0}});
    EXPECT_EQ(tell(granted), "") << "it is in use";
    want(1);
    EXPECT_EQ(tell(Granted{RequestId{2}, {{"a", 1}}, false}), "") << "the job has it";
}

TEST_F(HostTableTest, MoreThanIsWantedIsGivenBack) {
    want(1);
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"a", 1}, {"b", 1}}, true}), "release b; ready for 7: 0");
}

TEST_F(HostTableTest, HostsThatWereNotAskedForAreGivenBack) {
    want(2, std::nullopt, {4, {"bad"}});
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"small", 3}, {"bad", 4}, {"good", 4}}, false}),
              "release small; release bad");
    EXPECT_EQ(tell(Granted{RequestId{9}, {{"strange", 4}}, true}), "release strange");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"fine", 4}}, true}), "ready for 7: 2 4");
}

TEST_F(HostTableTest, AHostThatComesAgainHasItsIdAgain) {
    want(2);
    tell(Granted{RequestId{1}, {{"a", 1}, {"b", 1}}, true});
    EXPECT_EQ(tell(HostUnneeded{HostIndex{0}}), "release a");
    want(2);
    EXPECT_EQ(tell(Granted{RequestId{2}, {{"c", 1}, {"a", 8}}, true}), "ready for 7: 0 2");
    EXPECT_EQ(table.allocation().hosts, (std::vector<core::Host>{{"a", 8}, {"b", 1}, {"c", 1}}));
}

TEST_F(HostTableTest, AReservedHostThatIsTakenBackIsMissingAgain) {
    want(2);
    tell(Granted{RequestId{1}, {{"a", 1}}, false});
    EXPECT_EQ(tell(HostRevoked{"a", at(50)}), "release a");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"b", 1}}, false}), "");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"a", 1}}, true}), "ready for 7: 0 1");
}

TEST_F(HostTableTest, AnotherIsAskedForInThePlaceOfAReservedHostThatIsTakenBack) {
    want(3);
    tell(Granted{RequestId{1}, {{"a", 1}, {"b", 1}}, false});
    EXPECT_EQ(tell(HostRevoked{"a", at(50)}), "release a");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"c", 1}}, true}), "ask 2 for 1");
    EXPECT_EQ(state(1), "reserved");
    EXPECT_EQ(tell(Granted{RequestId{2}, {{"d", 1}}, true}), "ready for 7: 1 2 3");
    EXPECT_TRUE(table.state().requests.empty());
}

TEST_F(HostTableTest, ItIsAskedForOnce) {
    want(3);
    tell(Granted{RequestId{1}, {{"a", 1}, {"b", 1}}, false});
    tell(HostRevoked{"a", at(50)});
    tell(Granted{RequestId{1}, {}, true});
    EXPECT_EQ(tell(Granted{RequestId{2}, {{"c", 1}}, true}),
              "release b; release c; denied to 7: 2 of 3 hosts were granted, and none will follow");
}

TEST_F(HostTableTest, AManagerThatForgotIsAskedForWhatTheJobLacks) {
    want(3, std::nullopt, {2, {}});
    tell(Granted{RequestId{1}, {{"a", 2}, {"small", 1}}, false});
    EXPECT_EQ(tell(rms::Forgotten{}), "ask 1 for 2");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"b", 2}, {"c", 2}}, true}), "ready for 7: 0 2 3");
}

TEST_F(HostTableTest, WhenTheManagerIsGoneHostsAreKept) {
    want(2);
    tell(Granted{RequestId{1}, {{"a", 1}}, false});
    EXPECT_EQ(tell(rms::Gone{"x"}), "");
    EXPECT_EQ(tell(Denied{RequestId{1}, "x"}), "denied to 7: x");
    EXPECT_EQ(state(0), "idle");
    EXPECT_EQ(tell(HostUnneeded{HostIndex{0}}), "");
    EXPECT_EQ(state(0), "idle");
    tell(AgentStarting{HostIndex{0}});
    tell(AgentDraining{HostIndex{0}});
    EXPECT_EQ(table.allocation().hosts.at(0).slots, 1) << "the job may use it at once";
    EXPECT_EQ(tell(AgentGone{HostIndex{0}}), "");
    EXPECT_EQ(tell(JobEnding{}), "release a");
}

TEST_F(HostTableTest, ABrokerThatTakesOverAsksForTheRest) {
    want(3);
    tell(Granted{RequestId{1}, {{"a", 1}}, false});
    want(1);
    tell(HostsWithdrawn{TransactionId{7}});
    want(2);
    tell(Granted{RequestId{3}, {{"b", 1}}, false});
    EXPECT_EQ(tell(TakenOver{}), "cancel 1; cancel 2; ask 3 for 1");
    EXPECT_EQ(tell(Granted{RequestId{3}, {{"a", 1}}, true}), "ready for 7: 0 1");
}

// The new broker gives back hosts whose agents the dead broker had lost. It keeps a host whose
// agent it has lost itself until this host is cleaned up.
TEST_F(HostTableTest, ABrokerThatTakesOverKeepsHostsThatItHasLostItself) {
    table = HostTable(IdleHosts::given_back, core::Allocation{{{"a", 1}, {"b", 1}}});
    for (const HostIndex host : {HostIndex{0}, HostIndex{1}}) {
        tell(AgentStarting{host});
        tell(AgentLost{host, "x"});
    }
    tell(TakenOver{{HostIndex{1}}});
    EXPECT_EQ(state(0), "released");
    EXPECT_EQ(state(1), "lost");
    EXPECT_EQ(tell(AgentGone{HostIndex{1}}), "release b");
}

TEST_F(HostTableTest, AJobThatEndsGivesAllBack) {
    table = HostTable(IdleHosts::kept, core::Allocation{{{"a", 1}, {"b", 1}, {"c", 1}}});
    tell(AgentStarting{HostIndex{0}});
    tell(AgentStarting{HostIndex{1}});
    tell(AgentLost{HostIndex{1}, "x"});
    want(2);
    tell(Granted{RequestId{1}, {{"d", 1}}, false});
    EXPECT_EQ(tell(JobEnding{}), "cancel 1; release d; release c");
    EXPECT_EQ(want(1), "denied to 7: the job is ending");
    EXPECT_EQ(tell(Granted{RequestId{1}, {{"e", 1}}, true}), "release e");
    EXPECT_EQ(tell(AgentGone{HostIndex{0}}), "release a");
    EXPECT_FALSE(table.all_released());
    EXPECT_EQ(tell(AgentGone{HostIndex{1}}), "release b");
    EXPECT_TRUE(table.all_released());
}

// --- the life of a host: every event in every state

const HostIndex h{0};
const auto soon = at(10);
const auto until = at(20);

/// "up", or "up until 20".
std::string text_of(const host::State& state) {
    const auto timed = [](const char* name, const std::optional<WallTime>& must_go) {
        return name + (must_go ? fmt::format(" until {}", must_go->time_since_epoch().count())
                               : std::string());
    };
    return std::visit(core::Overloaded{
                          [&](const host::Starting& one) { return timed("starting", one.must_go); },
                          [&](const host::Up& one) { return timed("up", one.must_go); },
                          [&](const host::Draining& one) { return timed("draining", one.must_go); },
                          [](const host::Lost& one) {
                              return std::string(one.revoked ? "lost, taken back" : "lost");
                          },
                          [&](const auto&) { return std::string(state_names.at(state.index())); },
                      },
                      state);
}

const host::State places[] = {
    host::Reserved{RequestId{1}},
    host::Idle{},
    host::Starting{},
    host::Starting{until},
    host::Up{},
    host::Up{until},
    host::Draining{},
    host::Draining{until},
    host::Lost{},
    host::Lost{true},
    host::Avoided{},
    host::Released{},
};

/// The host "a" in the state `place`, and a request that waits for one more host.
HostTable table_at(const host::State& place) {
    HostTableState state;
    state.hosts = {{{"a", 1}, {}, place}};
    const HostNeed need{TransactionId{7}, {1, {}}, std::nullopt, at(1000)};
    state.requests = {{RequestId{1}, Waiting{need, {}}}};
    if (std::holds_alternative<host::Reserved>(place)) {
        auto& waiting = std::get<Waiting>(state.requests[0].state);
        waiting.granted = {h};
        waiting.need.request.hosts = 2;
    }
    state.next_request = 2;
    return {IdleHosts::given_back, state};
}

struct Happens {
    HostEvent event;
    const char* effects;  ///< on the request, in any state of the host
};

const std::map<std::string, Happens> events{
    {"wanted", {HostsWanted{{TransactionId{8}, {1, {}}, std::nullopt, at(1000)}}, "ask 2 for 1"}},
    {"withdrawn", {HostsWithdrawn{TransactionId{7}}, "cancel 1"}},
    {"unneeded", {HostUnneeded{h}, ""}},
    {"agent starts", {AgentStarting{h}, ""}},
    {"agent drains", {AgentDraining{h}, ""}},
    {"agent up", {AgentUp{h}, ""}},
    {"agent gone", {AgentGone{h}, ""}},
    {"agent lost", {AgentLost{h, ""}, ""}},
    {"job ends", {JobEnding{}, "cancel 1"}},
    {"taken over", {TakenOver{}, "ask 1 for 1"}},
    {"time 19", {TimeIs{at(19)}, ""}},
    {"time 20", {TimeIs{until}, ""}},
    {"granted", {Granted{RequestId{1}, {{"a", 1}}, false}, ""}},
    {"denied", {Denied{RequestId{1}, "none"}, "denied to 7: none"}},
    {"forgotten", {rms::Forgotten{}, "ask 1 for 1"}},
    {"manager gone", {rms::Gone{""}, ""}},
    {"revoked for 10", {HostRevoked{"a", soon}, ""}},
    {"revoked for 30", {HostRevoked{"a", at(30)}, ""}},
    {"another revoked", {HostRevoked{"nobody", soon}, ""}},
};

struct Becomes {
    std::string place, effects;
};

/// What happens for each pair of a state and an event. For a pair that is not here, the host keeps
/// its state, and only the effects that `events` names happen.
const std::map<std::pair<std::string, std::string>, Becomes> all_that_happens{
    {{"reserved", "withdrawn"}, {"released", "cancel 1; release a"}},
    {{"reserved", "agent starts"}, {"reserved", "lost 0"}},
    {{"reserved", "job ends"}, {"released", "cancel 1; release a"}},
    {{"reserved", "denied"}, {"released", "release a; denied to 7: none"}},
    {{"reserved", "revoked for 10"}, {"released", "release a"}},
    {{"reserved", "revoked for 30"}, {"released", "release a"}},

    {{"idle", "unneeded"}, {"released", "release a"}},
    {{"idle", "agent starts"}, {"starting", ""}},
    {{"idle", "job ends"}, {"released", "cancel 1; release a"}},
    {{"idle", "revoked for 10"}, {"released", "release a; lost 0"}},
    {{"idle", "revoked for 30"}, {"released", "release a; lost 0"}},

    {{"starting", "agent drains"}, {"draining", ""}},
    {{"starting", "agent up"}, {"up", ""}},
    {{"starting", "agent gone"}, {"released", "release a"}},
    {{"starting", "agent lost"}, {"lost", "lost 0"}},
    {{"starting", "revoked for 10"}, {"starting until 10", "must go 0 at 10"}},
    {{"starting", "revoked for 30"}, {"starting until 30", "must go 0 at 30"}},
    {{"starting until 20", "agent drains"}, {"draining until 20", ""}},
    {{"starting until 20", "agent up"}, {"up until 20", ""}},
    {{"starting until 20", "agent gone"}, {"released", "release a"}},
    {{"starting until 20", "agent lost"}, {"lost, taken back", "lost 0"}},
    {{"starting until 20", "time 20"}, {"lost, taken back", "lost 0"}},
    {{"starting until 20", "revoked for 10"}, {"starting until 10", "must go 0 at 10"}},

    {{"up", "agent starts"}, {"starting", ""}},
    {{"up", "agent drains"}, {"draining", ""}},
    {{"up", "agent gone"}, {"released", "release a"}},
    {{"up", "agent lost"}, {"lost", "lost 0"}},
    {{"up", "revoked for 10"}, {"up until 10", "must go 0 at 10"}},
    {{"up", "revoked for 30"}, {"up until 30", "must go 0 at 30"}},
    {{"up until 20", "agent starts"}, {"starting until 20", ""}},
    {{"up until 20", "agent drains"}, {"draining until 20", ""}},
    {{"up until 20", "agent gone"}, {"released", "release a"}},
    {{"up until 20", "agent lost"}, {"lost, taken back", "lost 0"}},
    {{"up until 20", "time 20"}, {"lost, taken back", "lost 0"}},
    {{"up until 20", "revoked for 10"}, {"up until 10", "must go 0 at 10"}},

    {{"draining", "agent starts"}, {"starting", ""}},
    {{"draining", "agent gone"}, {"released", "release a"}},
    {{"draining", "agent lost"}, {"lost", "lost 0"}},
    {{"draining", "revoked for 10"}, {"draining until 10", "must go 0 at 10"}},
    {{"draining", "revoked for 30"}, {"draining until 30", "must go 0 at 30"}},
    {{"draining until 20", "agent starts"}, {"starting until 20", ""}},
    {{"draining until 20", "agent gone"}, {"released", "release a"}},
    {{"draining until 20", "agent lost"}, {"lost, taken back", "lost 0"}},
    {{"draining until 20", "time 20"}, {"lost, taken back", "lost 0"}},
    {{"draining until 20", "revoked for 10"}, {"draining until 10", "must go 0 at 10"}},

    {{"lost", "agent starts"}, {"lost", "lost 0"}},
    {{"lost", "agent gone"}, {"released", "release a"}},
    {{"lost", "taken over"}, {"released", "ask 1 for 1; release a"}},
    {{"lost", "revoked for 10"}, {"lost, taken back", ""}},
    {{"lost", "revoked for 30"}, {"lost, taken back", ""}},
    {{"lost, taken back", "agent starts"}, {"lost, taken back", "lost 0"}},
    {{"lost, taken back", "agent gone"}, {"released", "release a"}},
    {{"lost, taken back", "taken over"}, {"released", "ask 1 for 1; release a"}},

    {{"avoided", "unneeded"}, {"released", "release a"}},
    {{"avoided", "agent starts"}, {"starting", ""}},
    {{"avoided", "job ends"}, {"released", "cancel 1; release a"}},
    {{"avoided", "revoked for 10"}, {"released", "release a"}},
    {{"avoided", "revoked for 30"}, {"released", "release a"}},

    {{"released", "agent starts"}, {"released", "lost 0"}},
    {{"released", "granted"}, {"idle", "cancel 1; ready for 7: 0"}},
};

TEST(HostLife, EveryEventInEveryState) {
    for (const auto& place : places)
        for (const auto& [name, happens] : events) {
            const auto pair = text_of(place) + " / " + name;
            const auto cell = all_that_happens.find({text_of(place), name});
            auto table = table_at(place);
            const auto before = table.state().hosts;
            const auto effects = text_of(table.on(happens.event));
            if (cell == all_that_happens.end()) {
                EXPECT_EQ(text_of(table.state().hosts.at(0).state), text_of(place)) << pair;
                EXPECT_TRUE(table.state().hosts == before) << pair;
                EXPECT_EQ(effects, happens.effects) << pair;
            } else {
                EXPECT_EQ(text_of(table.state().hosts.at(0).state), cell->second.place) << pair;
                EXPECT_EQ(effects, cell->second.effects) << pair;
            }
        }
}

// A new state has to be added to `places`, and a new event to `events`.
TEST(HostLife, NoStateAndNoEventIsForgotten) {
    std::set<std::size_t> states, kinds;
    std::set<std::string> names;
    for (const auto& place : places) {
        states.insert(place.index());
        names.insert(text_of(place));
    }
    for (const auto& [name, happens] : events) kinds.insert(happens.event.index());
    EXPECT_EQ(states.size(), std::variant_size_v<host::State>);
    EXPECT_EQ(kinds.size(), std::variant_size_v<HostEvent>);
    for (const auto& [pair, becomes] : all_that_happens) {
        EXPECT_TRUE(names.contains(pair.first)) << pair.first;
        EXPECT_TRUE(events.contains(pair.second)) << pair.second;
    }
}

TEST(HostLife, AJobKeepsHostsThatAreOfNoUseToOthers) {
    HostTable table(IdleHosts::kept, core::Allocation{{{"a", 2}, {"b", 2}}});
    const auto tell = [&table](const HostEvent& event) { return text_of(table.on(event)); };
    EXPECT_EQ(tell(HostUnneeded{HostIndex{0}}), "");
    tell(AgentStarting{HostIndex{0}});
    tell(AgentUp{HostIndex{0}});
    EXPECT_EQ(tell(AgentDraining{HostIndex{0}}), "");
    EXPECT_EQ(table.allocation().total_slots(), 4);
    EXPECT_EQ(tell(AgentGone{HostIndex{0}}), "");
    EXPECT_EQ(table.idle_hosts(), (std::vector{HostIndex{0}, HostIndex{1}}));

    tell(AgentStarting{HostIndex{1}});
    EXPECT_EQ(tell(AgentLost{HostIndex{1}, "silent"}), "lost 1");
    EXPECT_EQ(tell(AgentGone{HostIndex{1}}), "") << "it is avoided from now on";
    EXPECT_EQ(table.allocation().total_slots(), 4);
    EXPECT_EQ(table.dependable().hosts, (std::vector<core::Host>{{"a", 2}, {"b", 0}}));
    EXPECT_EQ(tell(AgentStarting{HostIndex{1}}), "") << "but there was no other";
    EXPECT_EQ(table.dependable().total_slots(), 4);

    EXPECT_EQ(tell(HostRevoked{"b", soon}), "must go 1 at 10");
    EXPECT_EQ(table.next_deadline(), soon);
    EXPECT_EQ(table.dependable().total_slots(), 2);
    EXPECT_EQ(tell(AgentGone{HostIndex{1}}), "release b") << "whatever is kept otherwise";
    EXPECT_EQ(table.allocation().total_slots(), 2);
}

TEST(PartOfUse, TheMostSlots) {
    EXPECT_EQ((PartOfUse{2, 4}.most_of(1)), 0);
    EXPECT_EQ((PartOfUse{2, 4}.most_of(2)), 2);
    EXPECT_EQ((PartOfUse{2, 4}.most_of(9)), 6);
    EXPECT_EQ((PartOfUse{1, 1}.most_of(9)), 9);
}

TEST(HostTableJson, WhatDoesNotFitTogetherIsRefused) {
    HostTableState state;
    state.hosts = {{{"a", 1}, {}, host::Reserved{RequestId{1}}}};
    EXPECT_THROW(host_table_from(to_json(state)), InputError);
    state.requests = {{RequestId{1}, Cancelled{}}};
    EXPECT_THROW(host_table_from(to_json(state)), InputError);
    const HostNeed need{TransactionId{7}, {2, {}}, PartOfUse{2, 4}, at(10)};
    state.requests[0].state = Waiting{need, {HostIndex{0}}};
    EXPECT_EQ(host_table_from(to_json(state)), state);
    state.requests[0].state = Waiting{need, {HostIndex{0}, HostIndex{1}}};
    EXPECT_THROW(host_table_from(to_json(state)), InputError);
}

}  // namespace
}  // namespace ductile::broker::host_table_test
