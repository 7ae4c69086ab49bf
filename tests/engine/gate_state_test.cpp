// Every event in every state of a rank (`Place`).
#include "engine/gate_state.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace ductile::engine::gate_state_test {
namespace {

using namespace gate;

std::string text(TransactionId id) {
    return std::to_string(id.value);
}
std::string text(const std::optional<Owed>& owed) {
    if (!owed) return "";
    return " owes " + text(owed->prepare.transaction) + (owed->broker_lost ? " lost" : "");
}
std::string text(const News& news) {
    return std::string(news.newcomers_ready ? " ready" : "") + (news.broker_lost ? " lost" : "") +
           (news.newcomers_lost.empty() ? "" : " abandoned");
}
std::string text(const Agreement& agreement) {
    if (const auto* one = std::get_if<Answered>(&agreement))
        return " answered " + text(one->transaction) + text(one->news);
    if (const auto* one = std::get_if<PointKnown>(&agreement))
        return " stops for " + text(one->plan.transaction) + text(one->news);
    if (const auto* one = std::get_if<VotingEarly>(&agreement))
        return " votes early on " + text(one->transaction) + (one->point ? " at a point" : "") +
               text(one->owed);
    return "";
}
std::string text(const Place& place) {
    if (const auto* one = std::get_if<Newcomer>(&place)) return "newcomer" + text(one->owed);
    if (const auto* one = std::get_if<InProgram>(&place)) return "runs" + text(one->agreement);
    if (const auto* one = std::get_if<InSwitch>(&place))
        return "switch " + text(one->plan.transaction) + text(one->news) + text(one->owed);
    if (const auto* one = std::get_if<Parked>(&place)) return "parked" + text(one->owed);
    return "finished" + text(std::get<Finished>(place).agreement);
}
std::string text(const Effects& effects) {
    std::string all;
    for (const auto& effect : effects) {
        if (!all.empty()) all += ", ";
        if (const auto* answer = std::get_if<Answer>(&effect))
            all += (answer->finished ? "finished " : "answer ") + text(answer->prepare.transaction);
        else if (std::holds_alternative<Disarm>(effect))
            all += "disarm";
        else if (std::holds_alternative<EndPending>(effect))
            all += "not pending";
        else if (std::holds_alternative<CastEarlyVote>(effect))
            all += "vote early";
        else if (const auto* voting = std::get_if<ReportVoting>(&effect))
            all += "report voting " + text(voting->transaction);
        else if (std::holds_alternative<WakeSwitch>(effect))
            all += "wake";
        else
            all += "report " + text(std::get<SendReport>(effect).report.transaction);
    }
    return all;
}

constexpr std::int64_t point = 7;

SwitchPlan plan_of(int transaction) {
    return {TransactionId{transaction}, point, {}, {}, false};
}

Asked ask(int transaction) {
    return {{TransactionId{transaction}, 1}};
}

/// The events by their names. `1` is the present transaction, `2` another one.
const std::map<std::string, Event> events{
    {"asked 1", ask(1)},
    {"asked 2", ask(2)},
    {"announced 1", Announced{plan_of(1)}},
    {"announced 2", Announced{plan_of(2)}},
    {"called off 1", CalledOff{TransactionId{1}}},
    {"called off 2", CalledOff{TransactionId{2}}},
    {"ready 1", NewcomersReady{TransactionId{1}}},
    {"ready 2", NewcomersReady{TransactionId{2}}},
    {"lost 1", NewcomersLost{TransactionId{1}, "why"}},
    {"lost 2", NewcomersLost{TransactionId{2}, "why"}},
    {"broker lost", BrokerLost{}},
    {"broker back", BrokerBack{}},
    {"called to vote 1", CalledToVote{TransactionId{1}}},
    {"called to vote 2", CalledToVote{TransactionId{2}}},
    {"called back", CalledBack{TransactionId{3}}},
    {"exit", ExitPermitted{}},
    {"joined", Joined{TransactionId{0}}},
    {"switch ended", SwitchEnded{TransactionId{1}, true, false}},
    {"early vote ended", EarlyVoteEnded{}},
    {"starts others", HelperWorks{Helper::spawner, true}},
    {"to sleep", WentToSleep{}},
    {"program ended", ProgramEnded{}},
};

GateState after(const std::vector<Event>& history, bool at_point = false) {
    GateState state;
    Effects effects;
    for (const auto& event : history) state.on(event, effects);
    if (at_point) {
        EXPECT_EQ(state.reach(point), GateState::AtPoint::stop);
    }
    return state;
}

const Joined joined{TransactionId{0}};

const std::map<std::string, std::function<GateState()>> places{
    {"newcomer", [] { return after({}); }},
    {"newcomer owes 1", [] { return after({ask(1)}); }},
    {"runs", [] { return after({joined}); }},
    {"runs answered 1",
     [] {
         return after({joined, ask(1)});
     }},
    {"runs stops for 1",
     [] {
         return after({joined, ask(1), Announced{plan_of(1)}});
     }},
    {"runs votes early on 1",
     [] {
         return after({joined, ask(1), BrokerLost{}});
     }},
    {"switch 1",
     [] {
         return after({joined, ask(1), Announced{plan_of(1)}}, true);
     }},
    {"parked",
     [] {
         return after({joined, WentToSleep{}});
     }},
    {"parked owes 1",
     [] {
         return after({joined, WentToSleep{}, ask(1)});
     }},
    {"finished",
     [] {
         return after({joined, ProgramEnded{}});
     }},
    {"finished answered 1",
     [] {
         return after({joined, ask(1), ProgramEnded{}});
     }},
    {"finished votes early on 1",
     [] {
         return after({joined, ask(1), BrokerLost{}, ProgramEnded{}});
     }},
};

struct Becomes {
    std::string place, effects;
};

/// What each event does in each place. A pair that is missing here changes nothing.
const std::map<std::pair<std::string, std::string>, Becomes> table{
    {{"newcomer", "asked 1"}, {"newcomer owes 1", ""}},
    {{"newcomer", "asked 2"}, {"newcomer owes 2", ""}},
    {{"newcomer", "joined"}, {"runs", ""}},
    {{"newcomer", "broker lost"}, {"newcomer", "not pending"}},
    {{"newcomer", "program ended"}, {"finished", ""}},
    {{"newcomer", "called to vote 1"}, {"newcomer owes 1 lost", ""}},
    {{"newcomer", "called to vote 2"}, {"newcomer owes 2 lost", ""}},
    {{"newcomer owes 1", "asked 2"}, {"newcomer owes 2", ""}},
    {{"newcomer owes 1", "announced 1"}, {"newcomer", ""}},
    {{"newcomer owes 1", "called off 1"}, {"newcomer", ""}},
    {{"newcomer owes 1", "broker lost"}, {"newcomer owes 1 lost", "not pending"}},
    {{"newcomer owes 1", "joined"}, {"runs answered 1", "answer 1"}},
    {{"newcomer owes 1", "program ended"}, {"finished", "finished 1"}},
    {{"runs", "asked 1"}, {"runs answered 1", "answer 1"}},
    {{"runs", "asked 2"}, {"runs answered 2", "answer 2"}},
    {{"runs", "broker lost"}, {"runs", "not pending"}},
    {{"runs", "broker back"}, {"runs", "report 0"}},
    {{"runs", "called to vote 1"}, {"runs votes early on 1", "vote early, report voting 1"}},
    {{"runs", "called to vote 2"}, {"runs votes early on 2", "vote early, report voting 2"}},
    {{"runs", "to sleep"}, {"parked", ""}},
    {{"runs", "program ended"}, {"finished", ""}},
    {{"runs answered 1", "asked 1"}, {"runs answered 1", "answer 1"}},
    {{"runs answered 1", "asked 2"}, {"runs answered 2", "answer 2"}},
    {{"runs answered 1", "announced 1"}, {"runs stops for 1", ""}},
    {{"runs answered 1", "called off 1"}, {"runs", "disarm"}},
    {{"runs answered 1", "ready 1"}, {"runs answered 1 ready", ""}},
    {{"runs answered 1", "lost 1"}, {"runs answered 1 abandoned", ""}},
    {{"runs answered 1", "broker lost"}, {"runs votes early on 1", "not pending, vote early"}},
    {{"runs answered 1", "joined"}, {"runs", ""}},
    {{"runs answered 1", "to sleep"}, {"parked", ""}},
    {{"runs answered 1", "program ended"}, {"finished answered 1", ""}},
    {{"runs stops for 1", "asked 1"}, {"runs answered 1", "answer 1"}},
    {{"runs stops for 1", "asked 2"}, {"runs answered 2", "answer 2"}},
    {{"runs stops for 1", "ready 1"}, {"runs stops for 1 ready", ""}},
    {{"runs stops for 1", "lost 1"}, {"runs stops for 1 abandoned", ""}},
    {{"runs stops for 1", "broker lost"},
     {"runs votes early on 1 at a point", "not pending, vote early"}},
    {{"runs stops for 1", "joined"}, {"runs", ""}},
    {{"runs stops for 1", "to sleep"}, {"parked", ""}},
    {{"runs stops for 1", "program ended"}, {"finished stops for 1", ""}},
    {{"runs votes early on 1", "asked 1"}, {"runs votes early on 1 owes 1", ""}},
    {{"runs votes early on 1", "asked 2"}, {"runs votes early on 1 owes 2", ""}},
    {{"runs votes early on 1", "announced 1"}, {"runs votes early on 1 at a point", ""}},
    {{"runs votes early on 1", "broker lost"}, {"runs votes early on 1", "not pending"}},
    {{"runs votes early on 1", "broker back"}, {"runs votes early on 1", "report voting 1"}},
    {{"runs votes early on 1", "called to vote 2"}, {"runs votes early on 1 owes 2 lost", ""}},
    {{"runs votes early on 1", "early vote ended"}, {"runs", "disarm"}},
    {{"runs votes early on 1", "joined"}, {"runs", ""}},
    {{"runs votes early on 1", "to sleep"}, {"parked", ""}},
    {{"runs votes early on 1", "program ended"}, {"finished votes early on 1", ""}},
    {{"switch 1", "asked 1"}, {"switch 1 owes 1", ""}},
    {{"switch 1", "asked 2"}, {"switch 1 owes 2", ""}},
    {{"switch 1", "ready 1"}, {"switch 1 ready", ""}},
    {{"switch 1", "lost 1"}, {"switch 1 abandoned", "wake"}},
    {{"switch 1", "broker lost"}, {"switch 1 lost", "not pending"}},
    {{"switch 1", "joined"}, {"runs", ""}},
    {{"switch 1", "switch ended"}, {"runs", "not pending, disarm"}},
    {{"switch 1", "program ended"}, {"finished", ""}},
    {{"parked", "asked 1"}, {"parked owes 1", ""}},
    {{"parked", "asked 2"}, {"parked owes 2", ""}},
    {{"parked", "broker lost"}, {"parked", "not pending"}},
    {{"parked", "broker back"}, {"parked", "report 0"}},
    {{"parked", "joined"}, {"runs", ""}},
    {{"parked", "program ended"}, {"finished", ""}},
    {{"parked owes 1", "asked 2"}, {"parked owes 2", ""}},
    {{"parked owes 1", "announced 1"}, {"parked", ""}},
    {{"parked owes 1", "called off 1"}, {"parked", ""}},
    {{"parked owes 1", "broker lost"}, {"parked owes 1 lost", "not pending"}},
    {{"parked owes 1", "joined"}, {"runs answered 1", "answer 1"}},
    {{"parked owes 1", "program ended"}, {"finished", "finished 1"}},
    {{"finished", "asked 1"}, {"finished", "finished 1"}},
    {{"finished", "asked 2"}, {"finished", "finished 2"}},
    {{"finished", "broker lost"}, {"finished", "not pending"}},
    {{"finished", "broker back"}, {"finished", "report 0"}},
    {{"finished", "joined"}, {"runs", ""}},
    {{"finished answered 1", "asked 1"}, {"finished answered 1", "finished 1"}},
    {{"finished answered 1", "asked 2"}, {"finished answered 1", "finished 2"}},
    {{"finished answered 1", "announced 1"}, {"finished stops for 1", ""}},
    {{"finished answered 1", "called off 1"}, {"finished", "disarm"}},
    {{"finished answered 1", "ready 1"}, {"finished answered 1 ready", ""}},
    {{"finished answered 1", "lost 1"}, {"finished answered 1 abandoned", ""}},
    {{"finished answered 1", "broker lost"},
     {"finished votes early on 1", "not pending, vote early"}},
    {{"finished answered 1", "joined"}, {"runs", ""}},
    {{"finished votes early on 1", "asked 1"}, {"finished votes early on 1", "finished 1"}},
    {{"finished votes early on 1", "asked 2"}, {"finished votes early on 1", "finished 2"}},
    {{"finished votes early on 1", "announced 1"}, {"finished votes early on 1 at a point", ""}},
    {{"finished votes early on 1", "broker lost"}, {"finished votes early on 1", "not pending"}},
    {{"finished votes early on 1", "broker back"},
     {"finished votes early on 1", "report voting 1"}},
    {{"switch 1", "called to vote 2"}, {"switch 1 owes 2 lost", ""}},
    {{"finished votes early on 1", "early vote ended"}, {"finished", "disarm"}},
    {{"finished votes early on 1", "joined"}, {"runs", ""}},
};

TEST(GateState, every_place_meets_every_event) {
    for (const auto& [name, make] : places) {
        ASSERT_EQ(text(make().place()), name);
        for (const auto& [event_name, event] : events) {
            const auto cell = table.find({name, event_name});
            const auto expected = cell == table.end() ? Becomes{name, ""} : cell->second;
            auto state = make();
            Effects effects;
            state.on(event, effects);
            EXPECT_EQ(text(state.place()), expected.place) << name << " / " << event_name;
            EXPECT_EQ(text(effects), expected.effects) << name << " / " << event_name;
        }
    }
    for (const auto& [cell, becomes] : table) {
        EXPECT_TRUE(places.contains(cell.first)) << cell.first;
        EXPECT_TRUE(events.contains(cell.second)) << cell.second;
    }
}

TEST(GateState, points_pass_stop_or_wait) {
    using enum GateState::AtPoint;
    const struct {
        const char* place;
        GateState::AtPoint before, there;
    } rows[] = {{"newcomer", pass, pass},
                {"runs", pass, pass},
                {"runs answered 1", wait, wait},
                {"runs stops for 1", pass, stop},
                {"runs votes early on 1", wait, wait},
                {"finished", pass, pass}};
    for (const auto& row : rows) {
        EXPECT_EQ(places.at(row.place)().reach(point - 1), row.before) << row.place;
        EXPECT_EQ(places.at(row.place)().reach(point), row.there) << row.place;
    }
    auto early = after({joined, ask(1), Announced{plan_of(1)}, BrokerLost{}});
    EXPECT_EQ(early.reach(point - 1), pass);
    EXPECT_EQ(early.reach(point), wait);
}

TEST(GateState, what_a_rank_hears_before_the_point_is_its_vote_there) {
    EXPECT_FALSE(places.at("switch 1")().objection());
    EXPECT_FALSE(
        after({joined, ask(1), Announced{plan_of(1)}, NewcomersLost{TransactionId{2}, "x"}}, true)
            .objection());
    const auto lost = after(
        {joined, ask(1), Announced{plan_of(1)}, NewcomersLost{TransactionId{1}, "why"}}, true);
    EXPECT_EQ(lost.objection(), "why");
    EXPECT_FALSE(lost.awaits_newcomers());
    auto brokerless = places.at("switch 1")();
    EXPECT_TRUE(brokerless.awaits_newcomers());
    Effects effects;
    brokerless.on(BrokerLost{}, effects);
    brokerless.on(BrokerBack{}, effects);  // the next broker knows nothing about these newcomers
    EXPECT_EQ(brokerless.objection(), "the broker is lost");
    EXPECT_FALSE(brokerless.awaits_newcomers());
    brokerless.on(SwitchEnded{TransactionId{1}, false, false}, effects);
    EXPECT_FALSE(brokerless.objection());
    EXPECT_TRUE(
        !after({joined, ask(1), NewcomersReady{TransactionId{1}}, Announced{plan_of(1)}}, true)
             .awaits_newcomers());
}

TEST(GateState, a_resumed_broker_is_told_where_the_rank_stands_once_nothing_is_open) {
    const struct {
        const char* while_in;
        std::vector<Event> then;
        const char* effects;
    } rows[] = {
        {"newcomer", {Joined{TransactionId{4}}}, "report 4"},
        {"newcomer owes 1",
         {BrokerLost{}, Joined{TransactionId{4}}, EarlyVoteEnded{}},
         "not pending, answer 1, vote early, disarm, report 4"},
        {"runs answered 1", {CalledOff{TransactionId{1}}}, "disarm, report 0"},
        {"runs votes early on 1", {EarlyVoteEnded{}}, "disarm, report 0"},
        {"switch 1", {SwitchEnded{TransactionId{1}, true, false}}, "not pending, disarm, report 1"},
        {"switch 1",
         {SwitchEnded{TransactionId{1}, false, false}},
         "not pending, disarm, report 0"},
        {"runs", {BrokerBack{}}, "report 0"},  // each broker that asks gets a report
    };
    for (const auto& row : rows) {
        auto state = places.at(row.while_in)();
        Effects before;
        state.on(BrokerBack{}, before);
        Effects effects;
        for (const auto& event : row.then) state.on(event, effects);
        EXPECT_EQ(text(effects), row.effects) << row.while_in;
    }
    // The spawner's helper may end when the join of its newcomers has already begun.
    auto starting = after({joined, HelperWorks{Helper::spawner, true},
                           HelperWorks{Helper::background_join, true}, BrokerBack{}});
    Effects effects;
    starting.on(HelperWorks{Helper::spawner, false}, effects);
    EXPECT_EQ(text(effects), "");
    starting.on(HelperWorks{Helper::background_join, false}, effects);
    EXPECT_EQ(text(effects), "report 0");
}

TEST(GateState, a_rank_that_was_never_asked_votes_once_when_others_wait_for_its_vote) {
    const auto effects_of = [](GateState& state, const Event& event) {
        Effects effects;
        state.on(event, effects);
        return text(effects);
    };
    auto asked = after({joined, ask(1), BrokerLost{}});
    EXPECT_EQ(effects_of(asked, BrokerBack{}), "report voting 1");
    EXPECT_EQ(effects_of(asked, CalledToVote{TransactionId{1}}), "");
    EXPECT_EQ(effects_of(asked, EarlyVoteEnded{}), "disarm, report 0");
    EXPECT_EQ(effects_of(asked, CalledToVote{TransactionId{1}}), "") << "it has voted";

    auto not_asked = after({joined, BrokerLost{}, BrokerBack{}});
    EXPECT_EQ(effects_of(not_asked, CalledToVote{TransactionId{1}}), "vote early, report voting 1");
    EXPECT_EQ(effects_of(not_asked, CalledToVote{TransactionId{1}}), "");
    EXPECT_EQ(effects_of(not_asked, ask(2)), "");
    EXPECT_EQ(effects_of(not_asked, EarlyVoteEnded{}), "disarm, answer 2");

    auto in_switch = after({joined, ask(1), Announced{plan_of(1)}}, true);
    EXPECT_EQ(effects_of(in_switch, CalledToVote{TransactionId{1}}), "") << "it has voted";
    EXPECT_EQ(effects_of(in_switch, CalledToVote{TransactionId{2}}), "");
    EXPECT_EQ(effects_of(in_switch, SwitchEnded{TransactionId{1}, true, false}),
              "not pending, disarm, answer 2, vote early, report voting 2");
}

TEST(GateState, a_call_back_counts_once_and_only_if_it_is_later) {
    auto state = after({joined, CalledBack{TransactionId{4}}});  // before the rank sleeps
    EXPECT_FALSE(state.take_call(TransactionId{4}));
    EXPECT_EQ(state.take_call(TransactionId{3}), TransactionId{4});
    EXPECT_FALSE(state.take_call(TransactionId{3}));
}

TEST(GateState, a_program_ends_when_what_it_has_answered_is_decided) {
    EXPECT_FALSE(places.at("finished")().awaits_decision());
    EXPECT_TRUE(places.at("finished answered 1")().awaits_decision());
    EXPECT_TRUE(places.at("finished votes early on 1")().awaits_decision());
    EXPECT_FALSE(
        after({joined, ask(1), ProgramEnded{}, CalledOff{TransactionId{1}}}).awaits_decision());
}

}  // namespace
}  // namespace ductile::engine::gate_state_test
