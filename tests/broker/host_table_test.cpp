#include "broker/host_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "broker/host_table_json.hpp"
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
    want(4, PartOfUse{2, 4});  // 2, 6, 10 ... slots
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
              "release a; denied to 7: 1 of 4 hosts were granted and no more will be");
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
              "release b; release c; denied to 7: 2 of 3 hosts were granted and no more will be");
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

struct Row {
    host::State from;
    HostEvent event;
    const char* to;
    const char* effects;
};

const HostIndex h{0};
const auto soon = at(10);

const Row rows[] = {
    {host::Reserved{RequestId{1}}, HostUnneeded{h}, "reserved", ""},
    {host::Reserved{RequestId{1}}, AgentStarting{h}, "reserved", "lost 0"},
    {host::Reserved{RequestId{1}}, AgentUp{h}, "reserved", ""},
    {host::Reserved{RequestId{1}}, AgentDraining{h}, "reserved", ""},
    {host::Reserved{RequestId{1}}, AgentGone{h}, "reserved", ""},
    {host::Reserved{RequestId{1}}, AgentLost{h, ""}, "reserved", ""},
    {host::Reserved{RequestId{1}}, HostRevoked{"a", soon}, "released", "release a"},
    {host::Reserved{RequestId{1}}, TimeIs{soon}, "reserved", ""},
    {host::Reserved{RequestId{1}}, JobEnding{}, "released", "cancel 1; release a"},

    {host::Idle{}, HostUnneeded{h}, "released", "release a"},
    {host::Idle{}, AgentStarting{h}, "starting", ""},
    {host::Idle{}, AgentUp{h}, "idle", ""},
    {host::Idle{}, AgentDraining{h}, "idle", ""},
    {host::Idle{}, AgentGone{h}, "idle", ""},
    {host::Idle{}, AgentLost{h, ""}, "idle", ""},
    {host::Idle{}, HostRevoked{"a", soon}, "released", "release a; lost 0"},
    {host::Idle{}, TimeIs{soon}, "idle", ""},
    {host::Idle{}, JobEnding{}, "released", "cancel 1; release a"},
    {host::Idle{}, Granted{RequestId{1}, {{"a", 1}}, false}, "idle", ""},

    {host::Starting{}, HostUnneeded{h}, "starting", ""},
    {host::Starting{}, AgentStarting{h}, "starting", ""},
    {host::Starting{}, AgentUp{h}, "up", ""},
    {host::Starting{}, AgentDraining{h}, "draining", ""},
    {host::Starting{}, AgentGone{h}, "released", "release a"},
    {host::Starting{}, AgentLost{h, ""}, "lost", "lost 0"},
    {host::Starting{}, HostRevoked{"a", soon}, "starting", "must go 0 at 10"},
    {host::Starting{}, TimeIs{soon}, "starting", ""},
    {host::Starting{soon}, TimeIs{soon}, "lost", "lost 0"},
    {host::Starting{soon}, AgentGone{h}, "released", "release a"},
    {host::Starting{}, JobEnding{}, "starting", "cancel 1"},

    {host::Up{}, HostUnneeded{h}, "up", ""},
    {host::Up{}, AgentStarting{h}, "starting", ""},
    {host::Up{}, AgentUp{h}, "up", ""},
    {host::Up{}, AgentDraining{h}, "draining", ""},
    {host::Up{}, AgentGone{h}, "released", "release a"},
    {host::Up{}, AgentLost{h, ""}, "lost", "lost 0"},
    {host::Up{}, HostRevoked{"a", soon}, "up", "must go 0 at 10"},
    {host::Up{soon}, HostRevoked{"a", soon}, "up", ""},
    {host::Up{soon}, HostRevoked{"a", at(20)}, "up", ""},
    {host::Up{at(20)}, HostRevoked{"a", soon}, "up", "must go 0 at 10"},
    {host::Up{at(11)}, TimeIs{soon}, "up", ""},
    {host::Up{soon}, TimeIs{at(11)}, "lost", "lost 0"},
    {host::Up{soon}, AgentLost{h, ""}, "lost", "lost 0"},
    {host::Up{}, JobEnding{}, "up", "cancel 1"},
    {host::Up{}, Granted{RequestId{1}, {{"a", 1}}, false}, "up", ""},

    {host::Draining{}, HostUnneeded{h}, "draining", ""},
    {host::Draining{}, AgentStarting{h}, "starting", ""},
    {host::Draining{}, AgentUp{h}, "draining", ""},
    {host::Draining{}, AgentDraining{h}, "draining", ""},
    {host::Draining{}, AgentGone{h}, "released", "release a"},
    {host::Draining{}, AgentLost{h, ""}, "lost", "lost 0"},
    {host::Draining{}, HostRevoked{"a", soon}, "draining", "must go 0 at 10"},
    {host::Draining{soon}, TimeIs{soon}, "lost", "lost 0"},
    {host::Draining{soon}, AgentGone{h}, "released", "release a"},
    {host::Draining{}, JobEnding{}, "draining", "cancel 1"},

    {host::Lost{}, HostUnneeded{h}, "lost", ""},
    {host::Lost{}, AgentStarting{h}, "lost", "lost 0"},
    {host::Lost{}, AgentUp{h}, "lost", ""},
    {host::Lost{}, AgentDraining{h}, "lost", ""},
    {host::Lost{}, AgentGone{h}, "released", "release a"},
    {host::Lost{}, AgentLost{h, ""}, "lost", ""},
    {host::Lost{}, HostRevoked{"a", soon}, "lost", ""},
    {host::Lost{}, TimeIs{soon}, "lost", ""},
    {host::Lost{}, JobEnding{}, "lost", "cancel 1"},
    {host::Lost{}, TakenOver{}, "released", "ask 1 for 1; release a"},
    {host::Lost{}, Granted{RequestId{1}, {{"a", 1}}, false}, "lost", ""},

    {host::Avoided{}, HostUnneeded{h}, "released", "release a"},
    {host::Avoided{}, AgentStarting{h}, "starting", ""},
    {host::Avoided{}, AgentUp{h}, "avoided", ""},
    {host::Avoided{}, AgentDraining{h}, "avoided", ""},
    {host::Avoided{}, AgentGone{h}, "avoided", ""},
    {host::Avoided{}, AgentLost{h, ""}, "avoided", ""},
    {host::Avoided{}, HostRevoked{"a", soon}, "released", "release a"},
    {host::Avoided{}, JobEnding{}, "released", "cancel 1; release a"},

    {host::Released{}, HostUnneeded{h}, "released", ""},
    {host::Released{}, AgentStarting{h}, "released", "lost 0"},
    {host::Released{}, AgentUp{h}, "released", ""},
    {host::Released{}, AgentDraining{h}, "released", ""},
    {host::Released{}, AgentGone{h}, "released", ""},
    {host::Released{}, AgentLost{h, ""}, "released", ""},
    {host::Released{}, HostRevoked{"a", soon}, "released", ""},
    {host::Released{}, TimeIs{soon}, "released", ""},
    {host::Released{}, JobEnding{}, "released", "cancel 1"},
    {host::Released{}, TakenOver{}, "released", "ask 1 for 1"},
    {host::Released{}, HostRevoked{"nobody", soon}, "released", ""},
};

TEST(HostLife, EveryEventInEveryState) {
    for (const auto& row : rows) {
        HostTableState state;
        state.hosts = {{{"a", 1}, {}, row.from}};
        const HostNeed need{TransactionId{7}, {1, {}}, std::nullopt, at(1000)};
        state.requests = {{RequestId{1}, Waiting{need, {}}}};
        if (std::holds_alternative<host::Reserved>(row.from)) {
            auto& waiting = std::get<Waiting>(state.requests[0].state);
            waiting.granted = {h};
            waiting.need.request.hosts = 2;
        }
        state.next_request = 2;
        HostTable table(IdleHosts::given_back, state);
        const auto effects = text_of(table.on(row.event));
        const auto place =
            fmt::format("state {}, event {}", state_names.at(row.from.index()), row.event.index());
        EXPECT_STREQ(state_names.at(table.state().hosts[0].state.index()), row.to) << place;
        EXPECT_EQ(effects, row.effects) << place;
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
