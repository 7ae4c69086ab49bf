// A place is a state of a resize and the events that led to it. Every place meets every event:
// expected or not, late, twice, or from a process without a part in the resize. The effects are in
// resize_table.txt. If the table has no line for a place and an event, then the event has no
// effect, or the same effect as for the plan that this plan is like (`like` below). One effect has
// no line: an MPI_Comm_spawn that is not expected is answered with an error. The places include
// every kind of place that events lead to.
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
constexpr std::array<const char*, 31> effect_names{"record",
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
                                                   "merge",
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
        if (const auto* answer = std::get_if<AnswerSpawn>(&effect))
            one += answer->ok ? " (ok)" : " (error)";
        all += (all.empty() ? "" : ", ") + one;
    }
    return all;
}

std::string place_of(const ResizeOperation& operation) {
    const auto& state = operation.state();
    auto place = to_text(state);
    if (std::holds_alternative<Abandoned>(state)) place += " (abandoned)";
    const bool at_votes =
        std::holds_alternative<Switching>(state) || std::holds_alternative<Abandoned>(state);
    if (at_votes && operation.is_committed()) place += " (committed)";
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

/// Group 1 is new, group 0 is the program, and group 9 has no part in the resize.
const Events events{
    {"begin", Begin{}},
    {"recorded", Recorded{}},
    {"not recorded", NotRecorded{"the disk is full"}},
    {"a new rank is up", RankUp{process(1)}},
    {"a stranger is up", RankUp{process(9)}},
    {"a member is up", RankUp{process(0)}},
    {"the new group is ready", GroupReady{core::GroupId{1}, 1, {}, {}}},
    {"it is ready with other ranks", GroupReady{core::GroupId{1}, 7, {}, {}}},
    {"a stranger is ready", GroupReady{core::GroupId{9}, 1, {}, {}}},
    {"a round is done", RoundDone{core::GroupId{1}, 0}},
    {"a stranger's round is done", RoundDone{core::GroupId{9}, 0}},
    {"formed", Formed{process(1)}},
    {"a member has formed", Formed{process(0)}},
    {"a newcomer is lost", NewcomerLost{"why", 0}},
    {"a new rank ends", ProcessEnded{process(1), "it has ended", 3}},
    {"a stranger ends", ProcessEnded{process(9), "it has ended", 3}},
    {"a member ends", ProcessEnded{process(0), "it has ended", 3}},
    {"the new group is gone", GroupGone{core::GroupId{1}}},
    {"a stranger is gone", GroupGone{core::GroupId{9}}},
    {"a host is prepared", HostPrepared{core::HostIndex{1}, core::GroupId{1}}},
    {"another host is prepared", HostPrepared{core::HostIndex{9}, core::GroupId{1}}},
    {"a host is prepared for a stranger", HostPrepared{core::HostIndex{1}, core::GroupId{9}}},
    {"spawn asked", SpawnAsked{core::HostIndex{0}, process(0), core::GroupId{1}, 1, "port", {}}},
    {"spawn of other ranks asked",
     SpawnAsked{core::HostIndex{0}, process(0), core::GroupId{1}, 7, "port", {}}},
    {"spawn asked by rank 1",
     SpawnAsked{core::HostIndex{0}, process(0, 1), core::GroupId{1}, 1, "port", {}}},
    {"spawn asked by a newcomer",
     SpawnAsked{core::HostIndex{1}, process(1), core::GroupId{1}, 1, "port", {}}},
    {"spawn asked by a stranger",
     SpawnAsked{core::HostIndex{0}, process(9), core::GroupId{9}, 1, "port", {}}},
    {"gate reached", GateReached{core::GroupId{1}}},
    {"gate lost", GateLost{core::GroupId{1}}},
    {"a stranger's gate is reached", GateReached{core::GroupId{9}}},
    {"a stranger's gate is lost", GateLost{core::GroupId{9}}},
    {"spawn returned", SpawnReturned{process(0), core::GroupId{1}, true, "", 0.1}},
    {"spawn failed", SpawnReturned{process(0), core::GroupId{1}, false, "why", 0.1}},
    {"a newcomer's spawn returned", SpawnReturned{process(1), core::GroupId{1}, true, "", 0.1}},
    {"a stranger's spawn returned", SpawnReturned{process(9), core::GroupId{9}, true, "", 0.1}},
    {"port opened", PortOpened{process(0), "port"}},
    {"another port is opened", PortOpened{process(0), "elsewhere"}},
    {"another rank opens a port", PortOpened{process(0, 1), "port"}},
    {"a newcomer opens a port", PortOpened{process(1), "port"}},
    {"a stranger opens a port", PortOpened{process(9), "port"}},
    {"a source connects", ConnectStarting{process(0)}},
    {"a stranger connects", ConnectStarting{process(9)}},
    {"a stranger has formed", Formed{process(9)}},
    {"connect starting", ConnectStarting{process(1)}},
    {"a source wants to merge", ReadyToMerge{process(0)}},
    {"a stranger wants to merge", ReadyToMerge{process(9)}},
    {"the new ranks want to merge", ReadyToMerge{process(1)}},
    {"the leader is bridged", Bridged{process(0), true, "", false}},
    {"rank 1 is bridged", Bridged{process(0, 1), true, "", false}},
    {"a stranger's accept fails", Bridged{process(9), false, "why", true}},
    {"the leader's accept fails", Bridged{process(0), false, "why", false}},
    {"the newcomer is bridged", Bridged{process(1), true, "", false}},
    {"rank 1 prepares", Progressed{process(0, 1), Work::prepares}},
    {"rank 1 has prepared", Progressed{process(0, 1), Work::has_prepared}},
    {"a stranger prepares", Progressed{process(9), Work::prepares}},
    {"a stranger has prepared", Progressed{process(9), Work::has_prepared}},
    {"a newcomer prepares", Progressed{process(1), Work::prepares}},
    {"a newcomer has prepared", Progressed{process(1), Work::has_prepared}},
    {"rank 0 is joined", SourceJoined{process(0, 0), true, "", false}},
    {"rank 1 is joined", SourceJoined{process(0, 1), true, "", false}},
    {"rank 1 is not joined", SourceJoined{process(0, 1), false, "why", true}},
    {"a stranger is joined", SourceJoined{process(9), true, "", false}},
    {"a newcomer is joined", SourceJoined{process(1), true, "", false}},
    {"rank 0 answers", PointAnswered{process(0, 0), 1, 5, false}},
    {"rank 1 answers", PointAnswered{process(0, 1), 1, 6, false}},
    {"an earlier question is answered", PointAnswered{process(0, 0), 0, 5, false}},
    {"a rank has finished", PointAnswered{process(0, 0), 1, 5, true}},
    {"a stranger answers", PointAnswered{process(9), 1, 5, false}},
    {"a newcomer answers", PointAnswered{process(1), 1, 5, false}},
    {"rank 0 arrives", Arrived{process(0)}},
    {"rank 1 arrives", Arrived{process(0, 1)}},
    {"a newcomer arrives", Arrived{process(1)}},
    {"a stranger arrives", Arrived{process(9)}},
    {"a newcomer gets on", Progressed{process(1)}},
    {"progress", Progressed{process(0)}},
    {"a stranger gets on", Progressed{process(9)}},
    {"a newcomer moves own data", Progressed{process(1), Work::moves}},
    {"it has moved own data", Progressed{process(1), Work::has_moved}},
    {"a stranger moves own data", Progressed{process(9), Work::moves}},
    {"a stranger has moved own data", Progressed{process(9), Work::has_moved}},
    {"a source moves own data", Progressed{process(0), Work::moves}},
    {"a source has moved own data", Progressed{process(0), Work::has_moved}},
    {"rank 0 commits", Progressed{process(0), Work::commits}},
    {"rank 1 commits", Progressed{process(0, 1), Work::commits}},
    {"a newcomer commits", Progressed{process(1), Work::commits}},
    {"a stranger commits", Progressed{process(9), Work::commits}},
    {"rank 0 has committed", report(0, true)},
    {"rank 1 has committed", report(1, true)},
    {"a stranger has committed", SwitchDone{process(9), report(0, true).report}},
    {"a newcomer has committed", SwitchDone{process(1), report(0, true).report}},
    {"rank 0 has voted no", report(0, false)},
    {"the program fails on a source", RankFailed{process(0, 1), "why"}},
    {"the program fails on a new rank", RankFailed{process(1), "why"}},
    {"the program fails on a stranger", RankFailed{process(9), "why"}},
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

/// Plans that fit the groups in the events: at most one group besides group 0, and two sources or
/// none.
const std::map<std::string, ResizePlan>& plans() {
    static const auto all = [] {
        auto first = growth(1, Start::launch, Overlap::background);
        first.before = {};
        first.after = core::Layout::of(first.added);
        ResizePlan less;
        less.before = core::Layout::of({group(0, 0, 2)});
        less.after = less.before.without({core::Rank{1}});
        auto tight = growth(1, Start::launch, Overlap::background);
        tight.strategy.memory = plan::Memory::tight;
        auto tree = growth(1, Start::hypercube, Overlap::background);
        tree.readiness = plan::Readiness::tree;
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
            {"tight", tight},
            {"spawn", growth(1, Start::single, Overlap::background)},
            {"tree", tree},
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
    std::string model{};  ///< the place of another plan that the table compares it with

    /// "growth", "spawn", ...
    [[nodiscard]] std::string kind() const { return name.substr(0, name.find(':')); }
};

std::vector<std::string> operator+(std::vector<std::string> all, std::vector<std::string> more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// Plans with the same places as another plan. The table has only the lines that differ from that
/// plan.
const std::map<std::string, std::string> like{
    {"renewal", "growth"}, {"tight", "growth"}, {"parking", "shrink"}, {"return", "shrink"}};

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
    const std::vector<std::string> commit{"rank 0 commits"};
    const std::vector<std::string> half{"rank 0 has committed"};
    const auto committed = half + std::vector<std::string>{"rank 1 has committed"};
    const std::vector<std::string> called_off{"called off"}, phase{"phase timer"},
        lost{"a newcomer is lost"}, gone{"the new group is gone"}, accept_late{"accept timer"};
    const auto asked = begun + answers;
    const auto at_point = asked + arrival;
    const std::vector<std::string> come{"a new rank is up", "port opened",
                                        "the new group is ready"};
    const auto formed = come + std::vector<std::string>{"formed"};
    const std::vector<std::string> connect{"connect starting"};
    const auto joined = formed + connect + bridged;
    const auto ordered = begun + std::vector<std::string>{"a host is prepared"};
    const auto inside = ordered + std::vector<std::string>{"spawn asked"};
    const auto at_gate = inside + std::vector<std::string>{"gate reached"};
    const std::vector<std::string> returned{"spawn returned"}, lost_at_gate{"gate lost"};
    const std::vector<std::string> wanted{"the new ranks want to merge"};
    const auto spawned =
        at_gate + returned + std::vector<std::string>{"a new rank is up", "the new group is ready"};
    const auto spawn_asking = spawned + std::vector<std::string>{"formed"} + bridged;
    const auto tree_joined = at_gate + returned + joined;
    const auto tree_waiting = tree_joined + answers;
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
        {"growth: asked again", asking + phase + phase},
        {"growth: up, and it prepares", up + prepares},
        {"growth: preparing", accepting + prepares + bridged},
        {"growth: asking when it has prepared", accepting + prepares + bridged + prepared},
        {"growth: waiting", waiting},
        {"growth: switching", waiting + arrival},
        {"growth: half has committed", waiting + arrival + half},
        {"growth: called off on the way", waiting + called_off},
        {"growth: called off on the way, and half has committed", waiting + called_off + half},
        {"growth: given up at the point", waiting + arrival + lost},
        {"growth: given up at the point, and half has committed", waiting + arrival + lost + half},
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
        {"blocking: called off on the way, and half has committed", asked + called_off + half},
        {"blocking: starting at the point", at_point},
        {"blocking: connecting at the point", at_point + come},
        {"blocking: bridging at the point", at_point + formed},
        {"blocking: switching", at_point + joined},
        {"blocking: half has committed", at_point + joined + half},
        {"blocking: given up at the point", at_point + called_off},
        {"blocking: given up at the point, and half has committed", at_point + called_off + half},
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
        {"early: called off on the way, and half has committed",
         early + answers + called_off + half},
        {"early: switching", early + answers + arrival},
        {"early: half has committed", early + answers + arrival + half},
        {"early: given up at the point", early + answers + arrival + lost},
        {"early: given up at the point, and half has committed",
         early + answers + arrival + lost + half},
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
        {"spawn: helped", at_gate + lost_at_gate},
        {"spawn: merging", at_gate + returned},
        {"spawn: told to merge", at_gate + returned + wanted},
        {"spawn: connecting", spawned},
        {"spawn: bridging", spawned + std::vector<std::string>{"formed"}},
        {"spawn: asking", spawn_asking},
        {"spawn: left alone", spawn_asking + phase},
        {"spawn: preparing", spawn_asking + prepares},
        {"spawn: waiting", spawn_asking + answers},
        {"spawn: called off on the way", spawn_asking + answers + called_off},
        {"spawn: called off on the way, and half has committed",
         spawn_asking + answers + called_off + half},
        {"spawn: switching", spawn_asking + answers + arrival},
        {"spawn: half has committed", spawn_asking + answers + arrival + half},
        {"spawn: given up at the point", spawn_asking + answers + arrival + lost},
        {"spawn: given up at the point, and half has committed",
         spawn_asking + answers + arrival + lost + half},
        {"spawn: rolling back", begun + called_off},
        {"spawn: rolling back while asked", inside + called_off},
        {"spawn: rolling back at the gate", at_gate + called_off},
        {"spawn: rolling back while merging", at_gate + returned + called_off},
        {"spawn: rolled back", begun + called_off + gone},
        {"spawn: done", spawn_asking + answers + arrival + committed},
        {"tree: new", {}},
        {"tree: starting", begun},
        {"tree: ordered", ordered},
        {"tree: asked", inside},
        {"tree: at the gate", at_gate},
        {"tree: helped", at_gate + lost_at_gate},
        {"tree: up before the spawn returns", at_gate + std::vector<std::string>{come[0], come[1]}},
        {"tree: spawned", at_gate + returned},
        {"tree: connecting", at_gate + returned + come},
        {"tree: bridging", at_gate + returned + formed},
        {"tree: in accept", at_gate + returned + formed + connect},
        {"tree: asking", tree_joined},
        {"tree: left alone", tree_joined + phase},
        {"tree: preparing", tree_joined + prepares},
        {"tree: waiting", tree_waiting},
        {"tree: called off on the way", tree_waiting + called_off},
        {"tree: called off on the way, and half has committed", tree_waiting + called_off + half},
        {"tree: switching", tree_waiting + arrival},
        {"tree: half has committed", tree_waiting + arrival + half},
        {"tree: given up at the point", tree_waiting + arrival + lost},
        {"tree: given up at the point, and half has committed",
         tree_waiting + arrival + lost + half},
        {"tree: rolling back", begun + called_off},
        {"tree: rolling back while asked", inside + called_off},
        {"tree: rolling back at the gate", at_gate + called_off},
        {"tree: rolling back in accept", at_gate + returned + formed + connect + called_off},
        {"tree: rolled back", begun + called_off + gone},
        {"tree: done", tree_waiting + arrival + committed},
        {"tight: committed", waiting + arrival + commit},
        {"tight: given up at the point, and committed", waiting + arrival + lost + commit},
        {"shrink: new", {}},
        {"shrink: asking", begun},
        {"shrink: left alone", begun + phase},
        {"shrink: asked again", begun + phase + phase},
        {"shrink: preparing", begun + prepares},
        {"shrink: waiting", asked},
        {"shrink: called off on the way", asked + called_off},
        {"shrink: called off on the way, and half has committed", asked + called_off + half},
        {"shrink: switching", at_point},
        {"shrink: half has committed", at_point + half},
        {"shrink: given up at the point", at_point + called_off},
        {"shrink: given up at the point, and half has committed", at_point + called_off + half},
        {"shrink: rolled back", begun + called_off},
        {"shrink: done", at_point + committed},
    };
}

std::vector<Place> places() {
    auto all = places_by_hand();
    for (const auto& place : std::vector(all))
        for (const auto& [kind, model] : like)
            if (place.kind() == model)
                all.push_back({kind + place.name.substr(model.size()), place.history, place.name});
    return all;
}

Driver driven(const Place& place) {
    Driver driver(plans().at(place.kind()));
    for (const auto& name : place.history) driver.tell(event(name));
    return driver;
}

/// The line for this event in this place; empty if the event has no effect.
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
    const bool is_to_answer = std::holds_alternative<SpawnAsked>(what) && !before.is_over();
    const std::string usual = is_to_answer ? "answer spawn (error)" : "";
    if (effects == usual && after == place_of(before)) return {};
    return place.name + " | " + name + " | " + after + (effects.empty() ? "" : ": " + effects);
}

/// The same, but also empty if the plan is like another plan and the event has the same effect
/// there.
std::string cell_beside_its_like(const Place& place, const std::string& name, const Event& what) {
    auto line = cell(place, name, what);
    if (place.model.empty()) return line;
    const auto other = cell({place.model, place.history, {}}, name, what);
    const bool same =
        line.empty() ? other.empty() : other == place.model + line.substr(place.name.size());
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

/// One property of an event: its name, its value, and all values that events of this type can have.
struct Said {
    std::string what, said;
    std::set<std::string> choices;
};

const char* name_of(Timer timer) {
    switch (timer) {
        case Timer::phase:
            return "phase";
        case Timer::accept:
            return "accept";
        case Timer::newcomers_end:
            return "newcomers' end";
        case Timer::switch_within:
            return "switch within";
        case Timer::own_moves:
            return "own moves";
    }
    return nullptr;
}

const char* name_of(Work work) {
    switch (work) {
        case Work::step:
            return "step";
        case Work::prepares:
            return "prepares";
        case Work::has_prepared:
            return "has prepared";
        case Work::commits:
            return "commits";
        case Work::moves:
            return "moves";
        case Work::has_moved:
            return "has moved";
    }
    return nullptr;
}

template <class Choice>
Said choice(Choice chosen) {
    Said said{"which", name_of(chosen), {}};
    for (int i = 0; name_of(static_cast<Choice>(i)) != nullptr; ++i)
        said.choices.insert(name_of(static_cast<Choice>(i)));
    return said;
}

Said flag(const std::string& what, bool on) {
    return {what, on ? "yes" : "no", {"yes", "no"}};
}

Said of(core::GroupId group) {
    const bool known = group == core::GroupId{1} || group == core::GroupId{9};
    return {"group",
            !known                      ? "another"
            : group == core::GroupId{1} ? "the new one"
                                        : "a stranger's",
            {"the new one", "a stranger's"}};
}

/// Which side the process is on.
Said by(const core::Process& speaker, const std::string& what = "by") {
    static const std::map<core::Process, std::string> known{{process(0), "a source"},
                                                            {process(0, 1), "a source"},
                                                            {process(1), "a newcomer"},
                                                            {process(9), "a stranger"}};
    return {what, known.at(speaker), {"a source", "a newcomer", "a stranger"}};
}

/// The same, where it matters which of the two sources it is.
Said by_rank(const core::Process& speaker, const std::string& what = "by") {
    auto said = by(speaker, what);
    said.choices.erase("a source");
    said.choices.merge(std::set<std::string>{"rank 0", "rank 1"});
    if (speaker.group == core::GroupId{0}) said.said = "rank " + std::to_string(speaker.rank.value);
    return said;
}

/// All properties of an event that matter to a resize. An event without an overload does not
/// compile.
struct AllSaid {
    using Words = std::vector<Said>;
    Words operator()(const Begin&) const { return {}; }
    Words operator()(const Recorded&) const { return {}; }
    Words operator()(const NotRecorded&) const { return {}; }
    Words operator()(const RankUp& e) const { return {by(e.process)}; }
    Words operator()(const GroupReady& e) const {
        return {of(e.group), flag("all ranks", e.ranks == 1)};
    }
    Words operator()(const RoundDone& e) const { return {of(e.leading)}; }
    Words operator()(const Formed& e) const { return {by(e.process)}; }
    Words operator()(const NewcomerLost&) const { return {}; }
    Words operator()(const ProcessEnded& e) const { return {by(e.process)}; }
    Words operator()(const GroupGone& e) const { return {of(e.group)}; }
    Words operator()(const HostPrepared& e) const {
        return {of(e.group), flag("its host", e.host == core::HostIndex{1})};
    }
    Words operator()(const SpawnAsked& e) const {
        return {by_rank(e.caller), of(e.starts), flag("all ranks", e.ranks == 1)};
    }
    Words operator()(const GateReached& e) const { return {of(e.group)}; }
    Words operator()(const GateLost& e) const { return {of(e.group)}; }
    Words operator()(const SpawnReturned& e) const {
        return {by(e.caller), of(e.starts), flag("ok", e.ok)};
    }
    Words operator()(const PortOpened& e) const {
        return {by_rank(e.process), flag("the first port", e.port == "port")};
    }
    Words operator()(const ConnectStarting& e) const { return {by(e.process)}; }
    Words operator()(const ReadyToMerge& e) const { return {by(e.process)}; }
    Words operator()(const Bridged& e) const {
        return {by_rank(e.process), flag("ok", e.ok), flag("degraded", e.degraded)};
    }
    Words operator()(const SourceJoined& e) const {
        return {by_rank(e.process), flag("ok", e.ok), flag("degraded", e.degraded)};
    }
    Words operator()(const PointAnswered& e) const {
        return {by_rank(e.process), flag("first attempt", e.attempt == 1),
                flag("finished", e.finished)};
    }
    Words operator()(const Arrived& e) const { return {by_rank(e.process)}; }
    Words operator()(const Progressed& e) const {
        const std::string who = std::string(name_of(e.work)) + " by";
        return {choice(e.work),
                e.work == Work::commits ? by_rank(e.process, who) : by(e.process, who)};
    }
    Words operator()(const SwitchDone& e) const {
        return {by_rank(e.process), flag("committed", e.report.committed)};
    }
    Words operator()(const RankFailed& e) const { return {by(e.process)}; }
    Words operator()(const ProgramEnding& e) const { return {flag("all", e.all)}; }
    Words operator()(const TimerFired& e) const { return {choice(e.timer)}; }
    Words operator()(const CallOff&) const { return {}; }
    Words operator()(const TakenOver& e) const {
        return {flag("committed", e.committed), flag("accepting", e.accepting),
                flag("groups", !e.groups.empty())};
    }
};

TEST(ResizeTable, HasEveryEvent) {
    std::map<std::pair<std::size_t, std::string>, std::set<std::string>> said, choices;
    std::set<std::size_t> kinds;
    for (const auto& [name, what] : events) {
        kinds.insert(what.index());
        for (const auto& one : std::visit(AllSaid{}, what)) {
            said[{what.index(), one.what}].insert(one.said);
            choices[{what.index(), one.what}] = one.choices;
        }
    }
    EXPECT_EQ(kinds.size(), std::variant_size_v<Event>);
    EXPECT_EQ(said, choices) << "the index of a kind in Event, and what its events say";
}

// If two places were the same state, one of them would not be what its name says.
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
