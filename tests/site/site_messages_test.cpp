#include "site/site_messages.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::site::site_messages_test {
namespace {

policy::SiteQuestion question() {
    policy::SiteQuestion question{.job = policy::SiteJobId{57}, .view = {}, .again_s = 2.5};
    auto& view = question.view;
    view.ranks = 7;
    view.hosts = {{2, false}, {2, true}, {2, true}, {1, true}};
    view.free_slots = 3;
    view.slots_per_host = 2;
    view.min = 1;
    view.max = 16;
    view.preferred = 8;
    view.multiple = 1;
    return question;
}

TEST(SiteMessages, AQuestionArrivesAsItWasAsked) {
    const auto ask = to_ask(question(), "n1");
    EXPECT_EQ(ask.hosts.size(), 3U);  // equal hosts in a row are one item
    const auto heard = parse_question(to_payload(Question(ask)));
    EXPECT_EQ(heard.nonce, "n1");
    const auto read = to_question(heard);
    EXPECT_EQ(read.job, question().job);
    EXPECT_EQ(read.again_s, question().again_s);
    EXPECT_EQ(read.view, question().view);
}

TEST(SiteMessages, AnAnswerArrivesAsItWasGiven) {
    policy::Decision decision;
    decision.why = "no job waits";
    EXPECT_EQ(to_decision(std::get<Decided>(parse_answer(to_payload(to_decided(decision, "n"))))),
              decision);
    decision.ranks = 4;
    decision.hosts = 2;
    decision.for_job = policy::WaitingJobId{58};
    const auto heard = std::get<Decided>(parse_answer(to_payload(to_decided(decision, "n"))));
    EXPECT_EQ(heard.nonce, "n");
    EXPECT_EQ(to_decision(heard), decision);
    EXPECT_EQ(std::get<Refused>(parse_answer(to_payload(Refused{"n", "no"}))).why, "no");
}

// Only ductiled raises priorities.
TEST(SiteMessages, WhatIsRaisedIsNotTold) {
    policy::Decision decision;
    decision.raised = policy::WaitingJobId{58};
    EXPECT_EQ(to_decision(to_decided(decision, "n")).raised, std::nullopt);
}

TEST(SiteMessages, AReasonIsOneLine) {
    EXPECT_EQ(to_decision(Decided{.nonce = "n", .why = "a\nb"}).why, "a b");
}

TEST(SiteMessages, AJobIsForgottenAfterAWhileWhateverItSays) {
    auto ask = to_ask(question(), "n");
    ask.again_s = 1e9;
    EXPECT_EQ(to_question(ask).again_s, 600);
}

TEST(SiteMessages, HostsHoldTheRanks) {
    auto ask = to_ask(question(), "n");
    ask.ranks = 8;
    EXPECT_THROW(to_question(ask), InputError);
    ask = to_ask(question(), "n");
    for (int i = 0; i < 3; ++i) ask.hosts.push_back({1 << 20, 1 << 20, true});
    EXPECT_THROW(to_question(ask), InputError);
}

TEST(SiteMessages, ABadMessageIsRefusedWithItsPlace) {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            static_cast<void>(parse_question(text));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(R"({"type":"decided"})"), "message refused: unknown type 'decided'");
    auto text = to_payload(Question(to_ask(question(), "n")));
    const auto at = text.find("\"ranks\":7");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 9, "\"ranks\":0");
    EXPECT_EQ(refusal(text), "message refused: ask.ranks is 0, outside 1..1048576");
    EXPECT_NE(refusal("x"), "");
    EXPECT_NE(refusal("{}"), "");
}

}  // namespace
}  // namespace ductile::site::site_messages_test
