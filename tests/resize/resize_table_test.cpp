// Every place of a resize meets every event, expected or not: late, twice, of a stranger. What
// happens is in resize_table.txt. In a cell that is not there nothing does, or what the like of its
// plan does. No kind of place that events lead to is left out.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "ductile/error.hpp"
#include "resize_fixture.hpp"

namespace ductile::resize::resize_table_test {
namespace {

using plan::Overlap;
using plan::Start;

/// In the order of Effect. Marks and timers that are disarmed are left out: they decide nothing.
constexpr std::array<const char*, 30> effect_names{"record",
                                                   "use groups",
                                                   "start groups",
                                                   "kill group",
                                                   "release group",
                                                   "answer spawn",
                                                   "connect and abort",
                                                   "connect round",
                                                   "pending",
                                                   "newcomers called off",
                                                   "open port",
                                                   "connect",
                                                   "accept",
                                                   "spawn",
                                                   "share ports",
                                                   "prepare",
                                                   "decision",
                                                   "proceed",
                                                   "join",
                                                   "at the point",
                                                   "abandon",
                                                   "exit permitted",
                                                   "skip finalize",
                                                   "commit",
                                                   "arm",
                                                   "",
                                                   "",
                                                   "answer early",
                                                   "finished",
                                                   "end job"};
static_assert(effect_names.size() == std::variant_size_v<Effect>);

std::string text(const Effects& effects) {
    std::string all;
    for (const auto& effect : effects) {
        std::string one = effect_names.at(effect.index());
        if (one.empty()) continue;
        if (const auto* finished = std::get_if<Finished>(&effect))
            one += finished->committed ? " (committed)" : " (rolled back)";
        if (const auto* decision = std::get_if<TellDecision>(&effect))
            one += decision->point > 0 ? " (a point)" : " (none)";
        if (const auto* pending = std::get_if<TellPending>(&effect))
            one += pending->on ? " (on)" : " (off)";
        all += (all.empty() ? "" : ", ") + one;
    }
    return all;
}

std::string place_of(const ResizeOperation& operation) {
    const auto& state = operation.state();
    auto place = to_text(state);
    if (std::holds_alternative<Abandoned>(state)) place += " (abandoned)";
    if (const auto* starting = std::get_if<Starting>(&state))
        place += starting->at_point ? " (at the point)" : "";
    if (const auto* done = std::get_if<Done>(&state))
        place += done->committed ? " (committed)" : "";
    if (const auto* asking = std::get_if<Agreeing>(&state))
        place += asking->agreement                  ? ""
                 : operation.phase() == "preparing" ? " (preparing)"
                                                    : " (left alone)";
    return place;
}

SwitchDone report(int rank, bool committed) {
    SwitchDone done{process(0, rank), {}};
    done.report.committed = committed;
    return done;
}

using Events = std::vector<std::pair<std::string, Event>>;

/// Group 1 is new, group 0 the program, group 9 a stranger.
const Events events{
    {"begin", Begin{}},
    {"recorded", Recorded{}},
    {"not recorded", NotRecorded{"the disk is full"}},
    {"a new rank is up", RankUp{process(1)}},
    {"a stranger is up", RankUp{process(9)}},
    {"the new group is ready", GroupReady{core::GroupId{1}, 1, {}, {}}},
    {"it is ready with other ranks", GroupReady{core::GroupId{1}, 7, {}, {}}},
    {"a stranger is ready", GroupReady{core::GroupId{9}, 1, {}, {}}},
    {"a round is done", RoundDone{core::GroupId{1}, 0}},
    {"formed", Formed{process(1)}},
    {"a newcomer is lost", NewcomerLost{"why", 0}},
    {"a new rank ends", ProcessEnded{process(1), "it has ended", 3}},
    {"a stranger ends", ProcessEnded{process(9), "it has ended", 3}},
    {"a member ends", ProcessEnded{process(0), "it has ended", 3}},
    {"the new group is gone", GroupGone{core::GroupId{1}}},
    {"a stranger is gone", GroupGone{core::GroupId{9}}},
    {"a host is prepared", HostPrepared{core::HostIndex{1}, core::GroupId{1}}},
    {"spawn asked", SpawnAsked{core::HostIndex{0}, process(0), core::GroupId{1}, 1, "port", {}}},
    {"spawn asked by a stranger",
     SpawnAsked{core::HostIndex{0}, process(9), core::GroupId{9}, 1, "port", {}}},
    {"gate reached", GateReached{core::GroupId{1}}},
    {"gate lost", GateLost{core::GroupId{1}}},
    {"spawn returned", SpawnReturned{process(0), core::GroupId{1}, true, "", 0.1}},
    {"spawn failed", SpawnReturned{process(0), core::GroupId{1}, false, "why", 0.1}},
    {"port opened", PortOpened{process(0), "port"}},
    {"another port is opened", PortOpened{process(0), "elsewhere"}},
    {"another rank opens a port", PortOpened{process(0, 1), "port"}},
    {"a stranger connects", ConnectStarting{process(9)}},
    {"a stranger has formed", Formed{process(9)}},
    {"connect starting", ConnectStarting{process(1)}},
    {"the leader is bridged", Bridged{process(0), true, "", false}},
    {"a stranger's accept fails", Bridged{process(9), false, "why", true}},
    {"the leader's accept fails", Bridged{process(0), false, "why", false}},
    {"the newcomer is bridged", Bridged{process(1), true, "", false}},
    {"rank 1 prepares", Progressed{process(0, 1), Work::prepares}},
    {"rank 1 has prepared", Progressed{process(0, 1), Work::has_prepared}},
    {"a stranger prepares", Progressed{process(9), Work::prepares}},
    {"rank 0 is joined", SourceJoined{process(0, 0), true, "", false}},
    {"rank 1 is joined", SourceJoined{process(0, 1), true, "", false}},
    {"rank 1 is not joined", SourceJoined{process(0, 1), false, "why", true}},
    {"a stranger is joined", SourceJoined{process(9), true, "", false}},
    {"rank 0 answers", PointAnswered{process(0, 0), 1, 5, false}},
    {"rank 1 answers", PointAnswered{process(0, 1), 1, 6, false}},
    {"an earlier question is answered", PointAnswered{process(0, 0), 0, 5, false}},
    {"a rank has finished", PointAnswered{process(0, 0), 1, 5, true}},
    {"a stranger answers", PointAnswered{process(9), 1, 5, false}},
    {"rank 0 arrives", Arrived{process(0)}},
    {"rank 1 arrives", Arrived{process(0, 1)}},
    {"a newcomer arrives", Arrived{process(1)}},
    {"a newcomer gets on", Progressed{process(1)}},
    {"progress", Progressed{process(0)}},
    {"a newcomer moves own data", Progressed{process(1), Work::moves}},
    {"it has moved own data", Progressed{process(1), Work::has_moved}},
    {"a stranger moves own data", Progressed{process(9), Work::moves}},
    {"rank 0 has committed", report(0, true)},
    {"rank 1 has committed", report(1, true)},
    {"a stranger has committed", SwitchDone{process(9), report(0, true).report}},
    {"rank 0 has voted no", report(0, false)},
    {"the program is ending", ProgramEnding{false}},
    {"the program has ended", ProgramEnding{true}},
    {"phase timer", TimerFired{Timer::phase}},
    {"accept timer", TimerFired{Timer::accept}},
    {"newcomers' end timer", TimerFired{Timer::newcomers_end}},
    {"own moves' timer", TimerFired{Timer::own_moves}},
    {"switch timer", TimerFired{Timer::switch_within}},
    {"called off", CallOff{"cancelled"}},
    {"taken over", TakenOver{false, false, {core::GroupId{1}}}},
    {"taken over in the accept", TakenOver{false, true, {core::GroupId{1}}}},
    {"taken over, nothing is left", TakenOver{false, false, {}}},
    {"taken over, it was committed", TakenOver{true, false, {core::GroupId{1}}}},
};

Event event(const std::string& name) {
    for (const auto& [known, event] : events)
        if (known == name) return event;
    throw UsageError("no event " + name);
}

/// What the events can speak of: one new group, and two sources or none.
const std::map<std::string, ResizePlan>& plans() {
    static const auto all = [] {
        auto first = growth(1, Start::launch, Overlap::background);
        first.before = {};
        first.after = core::Layout::of(first.added);
        ResizePlan less;
        less.before = core::Layout::of({group(0, 0, 2)});
        less.after = less.before.without({core::Rank{1}});
        auto parked = less;
        parked.after = less.before.without({}, {core::Rank{1}});
        ResizePlan back;
        back.before = core::Layout::of({group(0, 0, 2), group(1, 0)}).without({}, {core::Rank{2}});
        back.after = back.before.with_back(1);
        return std::map<std::string, ResizePlan>{
            {"start", first},
            {"growth", growth(1, Start::launch, Overlap::background)},
            {"blocking", growth(1, Start::launch, Overlap::blocking)},
            {"early", growth_joined_early(1, Start::launch)},
            {"spawn", growth(1, Start::single, Overlap::background)},
            {"renewal", renewal(1, Start::launch, Overlap::background)},
            {"shrink", less},
            {"parking", parked},
            {"return", back}};
    }();
    return all;
}

struct Place {
    std::string name;
    std::vector<std::string> history;

    /// "growth", "spawn", ...
    [[nodiscard]] std::string kind() const { return name.substr(0, name.find(':')); }
};

std::vector<std::string> operator+(std::vector<std::string> all, std::vector<std::string> more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// Plans whose places are those of another one. The table has what they do otherwise.
const std::map<std::string, std::string> like{
    {"renewal", "growth"}, {"parking", "shrink"}, {"return", "shrink"}};

std::vector<Place> places_by_hand() {
    const std::vector<std::string> begun{"begin"};
    const auto up = begun + std::vector<std::string>{"a new rank is up", "port opened"};
    const auto connecting = up + std::vector<std::string>{"the new group is ready"};
    const auto bridging = connecting + std::vector<std::string>{"formed"};
    const auto accepting = bridging + std::vector<std::string>{"connect starting"};
    const auto accepting_early = up + std::vector<std::string>{"connect starting"};
    const std::vector<std::string> bridged{"the leader is bridged", "the newcomer is bridged"};
    const auto asking = accepting + bridged;
    const std::vector<std::string> prepares{"rank 1 prepares"}, prepared{"rank 1 has prepared"};
    const auto& joining = asking;
    const std::vector<std::string> sources_joined{"rank 0 is joined", "rank 1 is joined"};
    const auto early = joining + sources_joined;
    const std::vector<std::string> answers{"rank 0 answers", "rank 1 answers"};
    const auto waiting = asking + answers;
    const std::vector<std::string> arrival{"rank 0 arrives"};
    const std::vector<std::string> committed{"rank 0 has committed", "rank 1 has committed"};
    const std::vector<std::string> called_off{"called off"}, phase{"phase timer"},
        lost{"a newcomer is lost"}, gone{"the new group is gone"}, accept_late{"accept timer"};
    const auto asked = begun + answers;
    const auto at_point = asked + arrival;
    const std::vector<std::string> come{"a new rank is up", "port opened",
                                        "the new group is ready"};
    const auto formed = come + std::vector<std::string>{"formed"};
    const auto joined = formed + std::vector<std::string>{"connect starting"} + bridged;
    const auto ordered = begun + std::vector<std::string>{"a host is prepared"};
    const auto inside = ordered + std::vector<std::string>{"spawn asked"};
    const auto at_gate = inside + std::vector<std::string>{"gate reached"};
    const std::vector<std::string> returned{"spawn returned"};
    const auto spawned =
        at_gate + returned + std::vector<std::string>{"a new rank is up", "the new group is ready"};
    const auto spawn_asking = spawned + std::vector<std::string>{"formed"} + bridged;
    return {
        {"start: new", {}},
        {"start: starting", begun},
        {"start: connecting", begun + come},
        {"start: rolling back", begun + std::vector<std::string>{"taken over"}},
        {"start: rolled back", {"taken over, nothing is left"}},
        {"start: done", begun + formed},
        {"growth: new", {}},
        {"growth: starting", begun},
        {"growth: up", up},
        {"growth: up and in accept", accepting_early},
        {"growth: connecting", connecting},
        {"growth: bridging", bridging},
        {"growth: in accept", accepting},
        {"growth: in an accept that is helped", accepting + accept_late},
        {"growth: asking", asking},
        {"growth: left alone", asking + phase},
        {"growth: up, and it prepares", up + prepares},
        {"growth: preparing", accepting + prepares + bridged},
        {"growth: asking when it has prepared", accepting + prepares + bridged + prepared},
        {"growth: waiting", waiting},
        {"growth: switching", waiting + arrival},
        {"growth: half has committed",
         waiting + arrival + std::vector<std::string>{"rank 0 has committed"}},
        {"growth: called off on the way", waiting + called_off},
        {"growth: given up at the point", waiting + arrival + lost},
        {"growth: rolling back", up + called_off},
        {"growth: rolling back in accept", accepting + called_off},
        {"growth: rolling back in an accept that is helped", accepting + called_off + accept_late},
        {"growth: rolled back", up + called_off + gone},
        {"growth: done", waiting + arrival + committed},
        {"blocking: new", {}},
        {"blocking: asking", begun},
        {"blocking: left alone", begun + phase},
        {"blocking: preparing", begun + prepares},
        {"blocking: waiting", asked},
        {"blocking: called off on the way", asked + called_off},
        {"blocking: starting at the point", at_point},
        {"blocking: connecting at the point", at_point + come},
        {"blocking: bridging at the point", at_point + formed},
        {"blocking: switching", at_point + joined},
        {"blocking: given up at the point", at_point + called_off},
        {"blocking: rolling back", asked + std::vector<std::string>{"taken over"}},
        {"blocking: rolled back", begun + called_off},
        {"blocking: done", at_point + joined + committed},
        {"early: new", {}},
        {"early: starting", begun},
        {"early: connecting", connecting},
        {"early: bridging", bridging},
        {"early: joining", joining},
        {"early: half is joined", joining + std::vector<std::string>{"rank 0 is joined"}},
        {"early: asking", early},
        {"early: preparing", joining + prepares + sources_joined},
        {"early: left alone", early + phase},
        {"early: waiting", early + answers},
        {"early: called off on the way", early + answers + called_off},
        {"early: switching", early + answers + arrival},
        {"early: given up at the point", early + answers + arrival + lost},
        {"early: rolling back in the join", joining + called_off},
        {"early: rolling back, lost in the join", joining + lost},
        {"early: the same, and they are gone", joining + lost + gone},
        {"early: rolling back", early + called_off},
        {"early: rolled back", early + called_off + gone},
        {"early: done", early + answers + arrival + committed},
        {"spawn: new", {}},
        {"spawn: starting", begun},
        {"spawn: ordered", ordered},
        {"spawn: asked", inside},
        {"spawn: at the gate", at_gate},
        {"spawn: helped", at_gate + std::vector<std::string>{"gate lost"}},
        {"spawn: merging", at_gate + returned},
        {"spawn: connecting", spawned},
        {"spawn: bridging", spawned + std::vector<std::string>{"formed"}},
        {"spawn: asking", spawn_asking},
        {"spawn: left alone", spawn_asking + phase},
        {"spawn: preparing", spawn_asking + prepares},
        {"spawn: waiting", spawn_asking + answers},
        {"spawn: called off on the way", spawn_asking + answers + called_off},
        {"spawn: switching", spawn_asking + answers + arrival},
        {"spawn: given up at the point", spawn_asking + answers + arrival + lost},
        {"spawn: rolling back", begun + called_off},
        {"spawn: rolling back while asked", inside + called_off},
        {"spawn: rolling back at the gate", at_gate + called_off},
        {"spawn: rolling back while merging", at_gate + returned + called_off},
        {"spawn: rolled back", begun + called_off + gone},
        {"spawn: done", spawn_asking + answers + arrival + committed},
        {"shrink: new", {}},
        {"shrink: asking", begun},
        {"shrink: left alone", begun + phase},
        {"shrink: preparing", begun + prepares},
        {"shrink: waiting", asked},
        {"shrink: called off on the way", asked + called_off},
        {"shrink: switching", at_point},
        {"shrink: given up at the point", at_point + called_off},
        {"shrink: rolled back", begun + called_off},
        {"shrink: done", at_point + committed},
    };
}

std::vector<Place> places() {
    auto all = places_by_hand();
    for (const auto& place : std::vector(all))
        for (const auto& [kind, model] : like)
            if (place.kind() == model)
                all.push_back({kind + place.name.substr(model.size()), place.history});
    return all;
}

Driver driven(const Place& place) {
    Driver driver(plans().at(place.kind()));
    for (const auto& name : place.history) driver.tell(event(name));
    return driver;
}

/// What an event does in a place, as a line; empty when it does nothing.
std::string cell(const Place& place, const std::string& name, const Event& what) {
    auto driver = driven(place);
    const auto before = driver.operation;
    std::string effects;
    try {
        effects = text(driver.tell(what));
    } catch (const InputError&) {
        EXPECT_EQ(driver.operation, before) << "refused, and nothing has changed";
        effects = "refused";
    }
    const auto after = place_of(driver.operation);
    if (effects.empty() && after == place_of(before)) return {};
    return place.name + " | " + name + " | " + after + (effects.empty() ? "" : ": " + effects);
}

/// The same, of a plan that is like another one: empty when it does what that one does.
std::string cell_beside_its_like(const Place& place, const std::string& name, const Event& what) {
    auto line = cell(place, name, what);
    const auto model = like.find(place.kind());
    if (model == like.end()) return line;
    const auto behind = place.name.substr(model->first.size());
    const auto other = cell({model->second + behind, place.history}, name, what);
    const bool same =
        line.empty() ? other.empty() : other == model->second + line.substr(model->first.size());
    if (same) return {};
    return line.empty() ? place.name + " | " + name + " | nothing" : line;
}

std::vector<std::string> expected_lines() {
    std::ifstream file(DUCTILE_RESIZE_TABLE);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
    return lines;
}

TEST(ResizeTable, EveryPlaceMeetsEveryEvent) {
    std::string found;
    std::string expected;
    for (const auto& place : places())
        for (const auto& [name, what] : events)
            if (const auto line = cell_beside_its_like(place, name, what); !line.empty())
                found += line + "\n";
    for (const auto& line : expected_lines()) expected += line + "\n";
    EXPECT_EQ(found, expected);
}

/// All kinds of places to which the events lead, in any order, from the start of this plan.
std::set<std::string> reached_from(const ResizePlan& plan) {
    constexpr std::size_t most_of_a_kind = 40;
    std::map<std::string, std::vector<ResizeOperation>> seen;
    std::deque<ResizeOperation> open{ResizeOperation(plan)};  // the nearest ones first
    seen[place_of(open.front())].push_back(open.front());
    while (!open.empty()) {
        const auto from = std::move(open.front());
        open.pop_front();
        for (const auto& [name, what] : events) {
            Driver driver(plan);
            driver.operation = from;
            try {
                driver.tell(what);
            } catch (const InputError&) {
                continue;
            }
            auto& alike = seen[place_of(driver.operation)];
            if (alike.size() == most_of_a_kind || std::ranges::count(alike, driver.operation) > 0)
                continue;
            alike.push_back(driver.operation);
            open.push_back(driver.operation);
        }
    }
    std::set<std::string> kinds;
    for (const auto& [kind, operations] : seen) kinds.insert(kind);
    return kinds;
}

TEST(ResizeTable, HasEachKindOfPlaceThatCanBeReached) {
    std::map<std::string, std::set<std::string>> found;
    for (const auto& place : places())
        found[place.kind()].insert(place_of(driven(place).operation));
    for (const auto& [kind, plan] : plans()) EXPECT_EQ(found[kind], reached_from(plan)) << kind;
}

TEST(ResizeTable, HasEveryEvent) {
    std::set<std::size_t> kinds;
    for (const auto& [name, what] : events) kinds.insert(what.index());
    EXPECT_EQ(kinds.size(), std::variant_size_v<Event>);
}

// A place that is reached twice is not the place that its name says.
TEST(ResizeTable, EachPlaceIsAnotherOne) {
    std::map<std::string, std::vector<ResizeOperation>> seen;
    for (const auto& place : places()) {
        auto& alike = seen[place.kind()];
        const auto operation = driven(place).operation;
        EXPECT_EQ(std::ranges::count(alike, operation), 0) << place.name;
        alike.push_back(operation);
    }
}

}  // namespace
}  // namespace ductile::resize::resize_table_test
