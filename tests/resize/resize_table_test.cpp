// Every place of a resize meets every event, expected or not: late, twice, of a stranger. What
// happens is in resize_table.txt. In a cell that is not there nothing does.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>

#include "ductile/error.hpp"
#include "resize_fixture.hpp"

namespace ductile::resize {
namespace {

using plan::Overlap;
using plan::Start;

/// In the order of Effect. Marks and timers that are disarmed are left out: they decide nothing.
constexpr std::array<const char*, 29> effect_names{"record",
                                                   "use groups",
                                                   "start groups",
                                                   "kill group",
                                                   "release group",
                                                   "answer spawn",
                                                   "connect and abort",
                                                   "meet",
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
    if (const auto* done = std::get_if<Done>(&state))
        place += done->committed ? " (committed)" : "";
    if (const auto* asking = std::get_if<Agreeing>(&state))
        place += asking->agreement ? "" : " (left alone)";
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
    {"another rank opens a port", PortOpened{process(0, 1), "port"}},
    {"a stranger connects", ConnectStarting{process(9)}},
    {"a stranger has formed", Formed{process(9)}},
    {"connect starting", ConnectStarting{process(1)}},
    {"the leader is bridged", Bridged{process(0), true, "", false}},
    {"the leader's accept fails", Bridged{process(0), false, "why", false}},
    {"the newcomer is bridged", Bridged{process(1), true, "", false}},
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
    {"rank 0 has committed", report(0, true)},
    {"rank 1 has committed", report(1, true)},
    {"rank 0 has voted no", report(0, false)},
    {"the program is ending", ProgramEnding{false}},
    {"the program has ended", ProgramEnding{true}},
    {"phase timer", TimerFired{Timer::phase}},
    {"accept timer", TimerFired{Timer::accept}},
    {"newcomers' end timer", TimerFired{Timer::newcomers_end}},
    {"switch timer", TimerFired{Timer::switch_within}},
    {"called off", CallOff{"cancelled"}},
    {"taken over", TakenOver{false, false, {core::GroupId{1}}}},
    {"taken over, nothing is left", TakenOver{false, false, {}}},
    {"taken over, it was committed", TakenOver{true, false, {core::GroupId{1}}}},
};

Event event(const std::string& name) {
    for (const auto& [known, event] : events)
        if (known == name) return event;
    throw UsageError("no event " + name);
}

struct Place {
    std::string name;
    ResizePlan plan;
    std::vector<std::string> history;
};

std::vector<std::string> operator+(std::vector<std::string> all, std::vector<std::string> more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::vector<Place> places() {
    const auto growth_of = [](Start start, Overlap overlap) { return growth(1, start, overlap); };
    const std::vector<std::string> begun{"begin"};
    const auto up = begun + std::vector<std::string>{"a new rank is up", "port opened"};
    const auto connecting = up + std::vector<std::string>{"the new group is ready"};
    const auto bridging = connecting + std::vector<std::string>{"formed"};
    const auto accepting = bridging + std::vector<std::string>{"connect starting"};
    const std::vector<std::string> bridged{"the leader is bridged", "the newcomer is bridged"};
    const auto asking = accepting + bridged;
    const std::vector<std::string> answers{"rank 0 answers", "rank 1 answers"};
    const auto waiting = asking + answers;
    const auto switching = waiting + std::vector<std::string>{"rank 0 arrives"};
    const std::vector<std::string> committed{"rank 0 has committed", "rank 1 has committed"};
    const auto background = growth_of(Start::launch, Overlap::background);
    const auto blocking = growth_of(Start::launch, Overlap::blocking);
    const auto spawned = growth_of(Start::single, Overlap::background);
    const auto at_point = begun + answers + std::vector<std::string>{"rank 0 arrives"};
    return {
        {"growth: new", background, {}},
        {"growth: starting", background, begun},
        {"growth: up", background, up},
        {"growth: connecting", background, connecting},
        {"growth: bridging", background, bridging},
        {"growth: in accept", background, accepting},
        {"growth: asking", background, asking},
        {"growth: left alone", background, asking + std::vector<std::string>{"phase timer"}},
        {"growth: waiting", background, waiting},
        {"growth: switching", background, switching},
        {"growth: called off on the way", background,
         waiting + std::vector<std::string>{"called off"}},
        {"growth: given up at the point", background,
         switching + std::vector<std::string>{"a newcomer is lost"}},
        {"growth: rolling back", background, up + std::vector<std::string>{"called off"}},
        {"growth: rolled back", background,
         up + std::vector<std::string>{"called off", "the new group is gone"}},
        {"growth: done", background, switching + committed},
        {"blocking: asking", blocking, begun},
        {"blocking: waiting", blocking, begun + answers},
        {"blocking: starting at the point", blocking, at_point},
        {"spawn: starting", spawned, begun},
        {"spawn: ordered", spawned, begun + std::vector<std::string>{"a host is prepared"}},
        {"spawn: asked", spawned,
         begun + std::vector<std::string>{"a host is prepared", "spawn asked"}},
        {"spawn: at the gate", spawned,
         begun + std::vector<std::string>{"a host is prepared", "spawn asked", "gate reached"}},
        {"shrink: asking", shrink(), begun},
    };
}

Driver driven(const Place& place) {
    Driver driver(place.plan);
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
            if (const auto line = cell(place, name, what); !line.empty()) found += line + "\n";
    for (const auto& line : expected_lines()) expected += line + "\n";
    EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace ductile::resize
