#include "rms/program_protocol.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "ductile/error.hpp"

namespace ductile::rms::program_protocol_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Json = nlohmann::json;

// --- lines

TEST(BoundedLines, AreCountedAndCut) {
    using Line = BoundedLines::Line;
    BoundedLines lines(3);
    EXPECT_EQ(lines.add("ab\nc"), (std::vector<Line>{{1, "ab"}}));
    EXPECT_EQ(lines.add("def"), (std::vector<Line>{{2, std::nullopt}}));
    EXPECT_EQ(lines.add("gh"), std::vector<Line>{});
    EXPECT_EQ(lines.add("i\n\nxyz\n"), (std::vector<Line>{{3, ""}, {4, "xyz"}}));
}

RC_GTEST_PROP(BoundedLines, DoNotDependOnThePiecesTheyComeIn, ()) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::weightedElement<char>({{4, 'a'}, {1, '\n'}}));
    const auto cut = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    BoundedLines at_once(3), in_pieces(3);
    auto pieces = in_pieces.add(std::string_view(text).substr(0, cut));
    for (auto& line : in_pieces.add(std::string_view(text).substr(cut)))
        pieces.push_back(std::move(line));
    RC_ASSERT(pieces == at_once.add(text));
}

TEST(ProgramLines, AreJsonOfOneLine) {
    EXPECT_EQ(Json::parse(hello_lines("job-1", {{"a", 2}}).at(0)),
              Json::parse(R"({"type": "hello", "version": 1, "job": "job-1",
                              "held": [{"name": "a", "slots": 2}], "last": true})"));
    EXPECT_EQ(Json::parse(request_line(RequestId{3}, {2, {4, {"bad"}}})),
              Json::parse(R"({"type": "request", "id": 3, "hosts": 2,
                              "constraints": {"min_slots": 4, "exclude": ["bad"]}})"));
    EXPECT_EQ(Json::parse(cancel_line(RequestId{3})),
              Json::parse(R"({"type": "cancel", "id": 3})"));
    EXPECT_EQ(Json::parse(release_line("a")), Json::parse(R"({"type": "release", "host": "a"})"));
}

TEST(ProgramLines, AreNeverTooLong) {
    std::vector<core::Host> held;
    HostRequest request{4096, {1, {}}};
    for (int i = 0; i < 4096; ++i) {
        auto name = std::to_string(i);
        name.insert(0, 253 - name.size(), 'h');
        held.push_back({name, 1 << 20});
        request.constraints.exclude.push_back(name);
    }
    std::size_t told = 0;
    const auto lines = hello_lines(std::string(48, 'j'), held);
    for (const auto& line : lines) {
        EXPECT_LE(line.size(), max_program_line);
        EXPECT_EQ(line.find('\n'), std::string::npos);
        const auto json = Json::parse(line);
        told += json["held"].size();
        EXPECT_EQ(json["last"], told == held.size());
    }
    EXPECT_EQ(told, held.size());
    EXPECT_LE(request_line(RequestId{1}, request).size(), max_program_line);
}

TEST(ProgramLines, AnswersAreRead) {
    EXPECT_EQ(parse_answer(R"({"type": "granted", "id": 1, "last": false, "more": "ignored",
                               "hosts": [{"name": "a", "slots": 2}, {"name": "10.0.0.1", "slots": 1}]})"),
              (HostAnswer{Granted{RequestId{1}, {{"a", 2}, {"10.0.0.1", 1}}, false}}));
    EXPECT_EQ(parse_answer(R"({"type": "denied", "id": 1, "reason": "none free"})"),
              (HostAnswer{Denied{RequestId{1}, "none free"}}));
    EXPECT_EQ(parse_answer(R"({"type": "revoked", "host": "a", "deadline_s": 1.5})"),
              (HostAnswer{Revoked{"a", milliseconds(1500)}}));
}

TEST(ProgramLines, AnErrorNamesTheField) {
    const struct {
        const char *line, *named;
    } table[] = {
        {"", "not JSON"},
        {"[]", "no type"},
        {R"({"type": "hello"})", "hello"},
        {R"({"type": "granted", "id": 0, "hosts": [], "last": true})", "granted.id"},
        {R"({"type": "granted", "id": 1, "hosts": 3, "last": true})", "granted.hosts"},
        {R"({"type": "granted", "id": 1, "hosts": []})", "granted.last is missing"},
        {R"({"type": "granted", "id": 1, "hosts": [{"name": "a"}], "last": true})",
         "granted.hosts.slots"},
        {R"({"type": "granted", "id": 1, "hosts": [{"name": "a", "slots": 0}], "last": true})",
         "granted.hosts.slots"},
        {R"({"type": "granted", "id": 1, "hosts": [{"name": "-o x", "slots": 1}], "last": true})",
         "granted.hosts.name"},
        {R"({"type": "granted", "id": 1, "hosts": [{"name": "", "slots": 1}], "last": true})",
         "granted.hosts.name"},
        {R"({"type": "denied", "id": 1})", "denied.reason"},
        {R"({"type": "revoked", "host": "a b", "deadline_s": 1})", "revoked.host"},
        {R"({"type": "revoked", "host": "a", "deadline_s": -1})", "revoked.deadline_s"},
    };
    for (const auto& row : table) try {
            static_cast<void>(parse_answer(row.line));
            ADD_FAILURE() << row.line;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(row.named), std::string::npos) << error.what();
        }
}

// --- the conversation

const HostRequest two{2, {}};

ProgramProtocol protocol(const core::Allocation& held = {}) {
    return {"pool", "job-1", held};
}
ProgramEffects sent(const std::vector<std::string>& lines) {
    ProgramEffects effects;
    for (const auto& line : lines) effects.push_back(SendLine{line});
    return effects;
}
std::string granted(int id, const std::string& host, bool last) {
    return R"({"type": "granted", "id": )" + std::to_string(id) + R"(, "hosts": [{"name": ")" +
           host + R"(", "slots": 1}], "last": )" + (last ? "true" : "false") + "}\n";
}

TEST(ProgramProtocol, BeginsWithWhatTheJobHolds) {
    auto talk = protocol({{{"a", 2}}});
    EXPECT_EQ(talk.started(), sent(hello_lines("job-1", {{"a", 2}})));
}

TEST(ProgramProtocol, PassesRequestsAndAnswersOn) {
    auto talk = protocol();
    EXPECT_EQ(talk.request(RequestId{1}, two), sent({request_line(RequestId{1}, two)}));
    EXPECT_EQ(talk.received(granted(1, "a", true)),
              (ProgramEffects{AnswerJob{Granted{RequestId{1}, {{"a", 1}}, true}}}));
    EXPECT_EQ(talk.release("a"), sent({release_line("a")}));
    EXPECT_EQ(talk.received("{\"type\": \"revoked\", \"host\": \"b\", \"deadline_s\": 2}\n"),
              (ProgramEffects{AnswerJob{Revoked{"b", seconds(2)}}}));
}

TEST(ProgramProtocol, EveryCancelIsAnswered) {
    auto talk = protocol();
    const ProgramEffects denied{AnswerJob{Denied{RequestId{1}, "cancelled"}}};
    EXPECT_EQ(talk.cancel(RequestId{1}), denied) << "it knows of no such request";
    talk.request(RequestId{1}, two);
    EXPECT_EQ(talk.cancel(RequestId{1}), sent({cancel_line(RequestId{1})}));
    EXPECT_EQ(talk.cancel(RequestId{1}), ProgramEffects{}) << "the answer is on its way";
    EXPECT_EQ(talk.received("{\"type\": \"denied\", \"id\": 1, \"reason\": \"cancelled\"}\n"),
              denied);
    EXPECT_EQ(talk.cancel(RequestId{1}), denied);
}

TEST(ProgramProtocol, ABadLineIsNamedAndDropped) {
    auto talk = protocol();
    const auto effects = talk.received("{}\n" + granted(1, "a", true));
    ASSERT_EQ(effects.size(), 2u);
    EXPECT_EQ(std::get<NotifyUser>(effects[0]).text,
              "pool, line 1: message refused: it has no type; the line is dropped");
    EXPECT_TRUE(std::holds_alternative<AnswerJob>(effects[1]));
    const auto too_long = talk.received(std::string(max_program_line + 1, ' '));
    ASSERT_EQ(too_long.size(), 1u);
    EXPECT_EQ(std::get<NotifyUser>(too_long[0]).text,
              "pool, line 3: longer than 64 KiB (a grant may come in several lines, with last: "
              "false); the line "
              "is dropped");
}

TEST(ProgramProtocol, ManyBadLinesAreNotAllShown) {
    auto talk = protocol();
    std::string lines;
    for (int i = 0; i < 100; ++i) lines += "?\n";
    const auto effects = talk.received(lines);
    ASSERT_EQ(effects.size(), 10u);
    EXPECT_NE(std::get<NotifyUser>(effects[9]).text.find("not shown"), std::string::npos);
}

TEST(ProgramProtocol, TheJobAsksOneThatIsStartedAgainForWhatItLacks) {
    auto talk = protocol({{{"a", 2}}});
    talk.request(RequestId{1}, two);
    talk.request(RequestId{2}, two);
    talk.request(RequestId{3}, two);
    talk.received(granted(1, "b", false) + granted(3, "c", true));
    talk.cancel(RequestId{2});
    talk.release("a");
    talk.received("half a line");
    EXPECT_EQ(talk.ended(seconds(5), "exit code 1"),
              (ProgramEffects{AnswerJob{Denied{RequestId{2}, "cancelled"}},
                              NotifyUser{"the resource manager's program pool has ended (exit "
                                         "code 1) and is started again"},
                              AnswerJob{Forgotten{}}, StartProgram{}}));
    EXPECT_EQ(talk.started(), sent(hello_lines("job-1", {{"b", 1}, {"c", 1}})));
    const HostRequest one{1, {}};
    EXPECT_EQ(talk.request(RequestId{1}, one), sent({request_line(RequestId{1}, one)}));
    EXPECT_EQ(talk.received(granted(1, "d", true)),
              (ProgramEffects{AnswerJob{Granted{RequestId{1}, {{"d", 1}}, true}}}));
}

TEST(ProgramProtocol, AReleasedHostIsNotHeldByAGrantThatIsRepeated) {
    auto talk = protocol();
    talk.request(RequestId{1}, two);
    talk.received(granted(1, "a", false) + granted(1, "b", true));
    talk.release("a");
    talk.received(granted(1, "a", true) + granted(1, "b", true));
    talk.request(RequestId{2}, two);
    talk.received(granted(2, "c", false));
    talk.ended(seconds(5), "exit code 1");
    EXPECT_EQ(talk.started(), sent(hello_lines("job-1", {{"b", 1}, {"c", 1}})));
    talk.received(granted(1, "a", true));
    talk.ended(seconds(6), "exit code 1");
    EXPECT_EQ(talk.started(), sent(hello_lines("job-1", {{"b", 1}, {"c", 1}})));
}

// The job makes request 2 before it hears that the new program does not know request 1. Then it
// repeats both.
TEST(ProgramProtocol, WhatTheNewOneWasToldIsNotRepeated) {
    auto talk = protocol();
    talk.request(RequestId{1}, two);
    talk.ended(seconds(5), "x");
    talk.started();
    EXPECT_EQ(talk.request(RequestId{2}, two), sent({request_line(RequestId{2}, two)}));
    EXPECT_EQ(talk.request(RequestId{1}, two), sent({request_line(RequestId{1}, two)}));
    EXPECT_EQ(talk.request(RequestId{2}, two), ProgramEffects{});
}

TEST(ProgramProtocol, AfterThreeEndsInAMinuteThereAreNoRequests) {
    auto talk = protocol();
    talk.request(RequestId{1}, two);
    talk.ended(seconds(0), "x");
    talk.ended(seconds(10), "x");
    const auto effects = talk.ended(milliseconds(59'999), "x");
    ASSERT_EQ(effects.size(), 3u);
    EXPECT_EQ(std::get<NotifyUser>(effects[0]).text,
              "the resource manager's program pool has ended (x), 3 times within a minute; the job "
              "asks for no more hosts");
    const auto gone = std::get<Gone>(std::get<AnswerJob>(effects[1]).answer);
    EXPECT_NE(gone.reason.find("pool has ended 3 times"), std::string::npos);
    EXPECT_EQ(effects[2], (ProgramEffect{AnswerJob{Denied{RequestId{1}, gone.reason}}}));
    EXPECT_EQ(talk.request(RequestId{2}, two),
              (ProgramEffects{AnswerJob{Denied{RequestId{2}, gone.reason}}}));
    EXPECT_EQ(talk.release("a"), ProgramEffects{});
}

TEST(ProgramProtocol, EndsThatAreFarApartDoNotCount) {
    auto talk = protocol();
    for (int minute = 0; minute < 10; ++minute)
        for (const int second : {0, 30}) {
            const auto effects = talk.ended(seconds(60 * minute + second), "x");
            EXPECT_TRUE(std::holds_alternative<StartProgram>(effects.back()));
        }
}

}  // namespace
}  // namespace ductile::rms::program_protocol_test
