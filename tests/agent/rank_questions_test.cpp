// The messages of ranks that an agent keeps: questions without an answer, and what a later broker
// asks for.
#include "agent/rank_questions.hpp"

#include <gtest/gtest.h>

#include "agent/deferred_messages.hpp"
#include "agent/rank_history.hpp"

namespace ductile::agent::rank_questions_test {
namespace {

constexpr core::GroupId group{1};
constexpr core::Rank r0{0}, r1{1};
using wire::NameQuestion;

wire::NameAsked name(core::Rank rank, NameQuestion question, const std::string& service) {
    return {group, rank, question, service, "port of " + service};
}

wire::SpawnAsked spawn(core::Rank rank, const std::string& port) {
    return {group, rank, {}, {{"other", "x"}, {"PARENT_ROOT_PORT_NAME", port}}};
}

TEST(RankQuestions, AnAnswerIsTakenOnce) {
    RankQuestions questions;
    EXPECT_FALSE(questions.take(wire::NameAnswer{group, r0, true, {}}));
    EXPECT_FALSE(questions.take(wire::SpawnAnswer{group, r0, true}));
    questions.ask(name(r0, NameQuestion::lookup, "a"));
    questions.ask(spawn(r1, "p"));
    EXPECT_FALSE(questions.take(wire::NameAnswer{group, r1, true, {}}))
        << "that one asked for more";
    EXPECT_TRUE(questions.take(wire::NameAnswer{group, r0, true, {}}));
    EXPECT_FALSE(questions.take(wire::NameAnswer{group, r0, true, {}}));
    EXPECT_TRUE(questions.take(wire::SpawnAnswer{group, r1, true}));
    EXPECT_FALSE(questions.take(wire::SpawnAnswer{group, r1, true}));
}

TEST(RankQuestions, WhatIsOpenCanBeFailed) {
    RankQuestions questions;
    questions.ask(name(r0, NameQuestion::lookup, "a"));
    questions.ask(spawn(r1, "p"));
    ASSERT_EQ(questions.failed_names(group).size(), 1u);
    EXPECT_FALSE(questions.failed_names(group)[0].ok);
    EXPECT_EQ(questions.failed_names(group)[0].rank, r0);
    ASSERT_EQ(questions.failed_spawns(group).size(), 1u);
    EXPECT_EQ(questions.failed_spawns(group)[0].rank, r1);
    questions.forget(r0);
    questions.forget(r1);
    EXPECT_TRUE(questions.failed_names(group).empty());
    EXPECT_TRUE(questions.failed_spawns(group).empty());
}

TEST(RankQuestions, ARankAcceptsFromItsGoodAnswerUntilItsCallReturns) {
    using Accepting = std::map<core::Rank, std::string>;
    RankQuestions questions;
    questions.ask(spawn(r0, "p"));
    EXPECT_EQ(questions.take_accepting(), Accepting{}) << "not answered";
    EXPECT_TRUE(questions.take(wire::SpawnAnswer{group, r0, true}));
    EXPECT_EQ(questions.take_accepting(), (Accepting{{r0, "p"}}));
    EXPECT_EQ(questions.take_accepting(), Accepting{}) << "once";

    for (const int which : {0, 1, 2}) {
        RankQuestions other;
        other.ask(spawn(r0, "p"));
        EXPECT_TRUE(other.take(wire::SpawnAnswer{group, r0, which != 0}));
        if (which == 1) other.spawn_returned(r0);
        if (which == 2) other.forget(r0);
        EXPECT_EQ(other.take_accepting(), Accepting{}) << which;
    }
}

TEST(RankQuestions, WhatIsPublishedIsKeptUntilItIsWithdrawn) {
    RankQuestions questions;
    const auto asks = [&](NameQuestion question, bool ok) {
        questions.ask(name(r0, question, "a"));
        EXPECT_TRUE(questions.take(wire::NameAnswer{group, r0, ok, {}}));
        return questions.published().size();
    };
    EXPECT_EQ(asks(NameQuestion::publish, false), 0u);
    EXPECT_EQ(asks(NameQuestion::publish, true), 1u);
    EXPECT_EQ(questions.published()[0].port, "port of a");
    questions.forget(r0);
    EXPECT_EQ(asks(NameQuestion::lookup, true), 1u);
    EXPECT_EQ(asks(NameQuestion::unpublish, false), 1u);
    EXPECT_EQ(asks(NameQuestion::unpublish, true), 0u);
}

TEST(DeferredMessages, ComeInOrderAndAreNotDroppedUnnoticed) {
    DeferredMessages deferred;
    EXPECT_TRUE(deferred.take().empty());
    const std::size_t more = 3;
    for (std::size_t i = 0; i < DeferredMessages::most + more; ++i)
        deferred.add(wire::Notice{std::to_string(i)});
    const auto kept = deferred.take();
    ASSERT_EQ(kept.size(), DeferredMessages::most + 1);
    EXPECT_EQ(std::get<wire::Notice>(kept.front()).text.substr(0, 10), "3 messages");
    EXPECT_EQ(std::get<wire::Notice>(kept[1]).text, "0");
    EXPECT_EQ(std::get<wire::Notice>(kept.back()).text, std::to_string(DeferredMessages::most - 1));
    EXPECT_TRUE(deferred.take().empty());
}

TEST(DeferredMessages, HowFarTheProgramIsIsNotKept) {
    DeferredMessages deferred;
    deferred.add(wire::FromRanks{core::GroupId{0}, core::Rank{0}, wire::Pace{7, 1.5}});
    deferred.add(wire::FromRanks{core::GroupId{0}, core::Rank{0}, wire::UsefulTime{2, 1.5}});
    deferred.add(wire::FromRanks{core::GroupId{0}, core::Rank{0}, wire::Progress{}});
    deferred.add(wire::HostPower{100, {}});
    deferred.add(wire::FromRanks{core::GroupId{0}, core::Rank{0}, wire::Goodbye{}});
    EXPECT_EQ(deferred.take().size(), 1u);
}

TEST(RankHistory, TheLastCommitCountsWhoeverSaysIt) {
    RankHistory history;
    const auto commit = [](int id) {
        wire::Commit message;
        message.transaction = core::TransactionId{id};
        return wire::ToRank{message};
    };
    const auto done = [](int id, bool committed) {
        wire::SwitchDone message;
        message.transaction = core::TransactionId{id};
        message.committed = committed;
        return wire::FromRank{message};
    };
    EXPECT_EQ(history.committed().value, 0);
    history.on(done(4, false));
    EXPECT_EQ(history.committed().value, 0) << "given up";
    history.on(done(4, true));
    history.on(commit(3));
    EXPECT_EQ(history.committed().value, 4);
    history.on(commit(5));
    EXPECT_EQ(history.committed().value, 5);
    wire::RankReport report;
    report.transaction = core::TransactionId{6};
    history.on(wire::FromRank{report});
    EXPECT_EQ(history.committed().value, 6);
}

TEST(RankHistory, AnEndInOrderIsNoFailure) {
    RankHistory history;
    wire::RankEnded end;
    end.rank = r1;
    end.goodbye = true;
    history.on(end);
    EXPECT_FALSE(history.last_failure());
    end.goodbye = false;
    history.on(end);
    EXPECT_EQ(history.last_failure()->rank, r1);
}

}  // namespace
}  // namespace ductile::agent::rank_questions_test
