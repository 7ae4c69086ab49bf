// Single ranks of a host leave or park while other ranks stay. The job's standard input goes to
// another rank.
#include <csignal>

#include "agent_test.hpp"

namespace ductile::test::leaving_test {
namespace {

using core::GroupId;
using core::Rank;

constexpr auto init = "cmd=init pmi_version=1 pmi_subversion=1";

wire::StartRun served(int group, int ranks, bool input = false) {
    auto run = run_of(group, ranks, input);
    run.manager = wire::ServedWorld{"ductile_test", ranks, 8, ""};
    return run;
}

/// A group whose ranks the agent starts, or a launcher.
wire::StartRun run_by(bool agent, int ranks) {
    return agent ? served(1, ranks) : run_of(1, ranks);
}

bool have_said(FakeBroker& broker, std::size_t count) {
    return broker.run_until([&] { return broker.heard(0).output.size() == count; });
}

std::vector<wire::RankEnded> ends(FakeBroker& broker) {
    return broker.heard(0).all<wire::RankEnded>();
}

int ends_of(FakeBroker& broker, Rank rank) {
    return static_cast<int>(std::ranges::count(ends(broker), rank, &wire::RankEnded::rank));
}

template <class Message>
int times_said(FakeBroker& broker) {
    int times = 0;
    for (const auto& message : broker.heard(0).all<wire::FromRanks>())
        times += std::holds_alternative<Message>(message.message) ? 1 : 0;
    return times;
}

TEST(Leaving, ARankThatDoesNotEndIsKilledAndTheOthersGoOn) {
    for (const bool by_agent : {true, false}) {
        FakeBroker broker;
        broker.welcome.program =
            program({"hello", "say", "up", "1", "if", "1", "goodbye", "fi", "sleep", "100000"});
        broker.start_agent(0, {run_by(by_agent, 3)});
        ASSERT_TRUE(have_said(broker, 3));
        const auto sent = std::chrono::steady_clock::now();
        broker.send(0, wire::RanksLeave{ranks(1, 1, 1)});
        ASSERT_TRUE(broker.run_until([&] { return !ends(broker).empty(); }, 5s));
        EXPECT_GE(std::chrono::steady_clock::now() - sent, 900ms) << "leave_within_s";
        EXPECT_EQ(ends(broker)[0].rank, Rank{1});
        EXPECT_EQ(ends(broker)[0].signal, SIGKILL);
        EXPECT_TRUE(ends(broker)[0].goodbye);
        broker.run_for(1500ms);
        EXPECT_EQ(ends(broker).size(), 1u) << by_agent;
        EXPECT_FALSE(run_ended(broker, 0));
        broker.send(0, wire::KillRun{GroupId{1}});
        ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 5s));
        finish(broker, 0);
    }
}

TEST(Leaving, OneAfterTheOtherEachHasItsTime) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {served(1, 3)});
    ASSERT_TRUE(have_said(broker, 3));
    broker.send(0, wire::RanksLeave{ranks(1, 2, 2)});
    broker.run_for(600ms);
    const auto sent = std::chrono::steady_clock::now();
    broker.send(0,
                wire::RanksLeave{ranks(1, 1, 2)});  // GroupLife's test tells that 2's time runs on
    ASSERT_TRUE(broker.run_until([&] { return ends_of(broker, Rank{1}) == 1; }, 3s));
    EXPECT_GE(std::chrono::steady_clock::now() - sent, 900ms);
    ASSERT_TRUE(broker.run_until([&] { return ends_of(broker, Rank{2}) == 1; }, 3s));
    EXPECT_EQ(ends_of(broker, Rank{0}), 0);
    EXPECT_FALSE(run_ended(broker, 0));
    broker.send(0, wire::KillRun{GroupId{1}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 5s));
    finish(broker, 0);
}

// The last rank of a group leaves after the others, and has its full time, too.
TEST(Leaving, TheLastOneHasItsTimeToo) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(have_said(broker, 2));
    broker.send(0, wire::RanksLeave{ranks(1, 0, 0)});
    broker.run_for(600ms);
    const auto sent = std::chrono::steady_clock::now();
    broker.send(0, wire::RanksLeave{ranks(1, 1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 5s));
    EXPECT_GE(std::chrono::steady_clock::now() - sent, 900ms);
    finish(broker, 0);
}

// Rank 0 leaves and ends with code 5. This is no failure of the agent: it still ends with code 0.
TEST(Leaving, ARankThatHasLeftMayEndAsItLikes) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "if", "0", "sleep", "300", "exit",
                                      "5", "fi", "sleep", "1000", "goodbye"});
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(have_said(broker, 2));
    broker.send(0, wire::RanksLeave{ranks(1, 0, 0)});
    ASSERT_TRUE(broker.run_until([&] { return !ends(broker).empty(); }));
    broker.send(0, wire::QueryInventory{});
    ASSERT_TRUE(broker.run_until([&] { return !broker.heard(0).all<wire::Inventory>().empty(); }));
    const auto inventory = broker.heard(0).all<wire::Inventory>()[0];
    ASSERT_EQ(inventory.groups.size(), 1u);
    EXPECT_TRUE(inventory.groups[0].ranks.at(0).dismissed);
    EXPECT_TRUE(inventory.groups[0].ranks.at(0).ended);
    EXPECT_EQ(inventory.groups[0].ranks.at(0).code, 5);
    EXPECT_FALSE(inventory.groups[0].ranks.at(1).dismissed);
    EXPECT_FALSE(inventory.groups[0].ended);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
}

TEST(Leaving, ABarrierOfTheHostDoesNotWaitForALeaver) {
    FakeBroker broker;
    broker.welcome.leave_within_s = 30;
    broker.welcome.program = program({"pmi", init, "hello", "say", "up", "1", "if", "2", "sleep",
                                      "100000", "fi", "pmi", "cmd=barrier_in", "exit", "0"});
    broker.start_agent(0, {served(1, 3)});
    ASSERT_TRUE(have_said(broker, 3));
    broker.run_for(300ms);
    EXPECT_TRUE(broker.heard(0).all<wire::BarrierReached>().empty());
    broker.send(0, wire::RanksLeave{ranks(1, 2, 2)});
    ASSERT_TRUE(
        broker.run_until([&] { return !broker.heard(0).all<wire::BarrierReached>().empty(); }));
    const auto round = broker.heard(0).all<wire::BarrierReached>()[0].round;
    broker.send(0, wire::BarrierReleased{GroupId{1}, round, {}});
    ASSERT_TRUE(broker.run_until([&] { return ends(broker).size() == 2; }));
    for (const auto& end : ends(broker)) EXPECT_EQ(end.code, 0);
    EXPECT_FALSE(run_ended(broker, 0));
    broker.send(0, wire::KillRun{GroupId{1}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 5s));
    finish(broker, 0);
}

TEST(Parking, RanksSleepUntilTheLastActiveOneOfTheHostHasLeft) {
    FakeBroker broker;
    broker.welcome.program =
        program({"hello", "if", "0", "sleep", "600", "goodbye", "exit", "0", "fi", "if", "1",
                 "sleep", "1800", "goodbye", "exit", "0", "fi", "park", "goodbye"});
    broker.start_agent(0, {served(1, 4)});
    ASSERT_TRUE(broker.run_until([&] { return times_said<wire::Parked>(broker) == 2; }));
    ASSERT_TRUE(broker.run_until([&] { return times_said<wire::Goodbye>(broker) == 1; }));
    broker.run_for(600ms);
    EXPECT_TRUE(broker.heard(0).output.empty()) << "rank 1 is active yet";
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    for (const char* rank : {"1.2.1", "1.3.1"})
        EXPECT_EQ(broker.heard(0).output[rank], "may end\n");
}

TEST(Parking, AHostIsItsGroupsTogether) {
    FakeBroker broker;
    broker.welcome.program = {"/bin/sh", "-c",
                              "if [ $DUCTILE_GROUP = 1 ]; then exec " DUCTILE_TEST_PROGRAM
                              " hello park goodbye; else exec " DUCTILE_TEST_PROGRAM
                              " hello say up 1 sleep 100000; fi"};
    broker.start_agent(0, {served(1, 2), served(2, 1)});
    ASSERT_TRUE(broker.run_until([&] {
        return times_said<wire::Parked>(broker) == 2 && !broker.heard(0).output["2.0.1"].empty();
    }));
    broker.run_for(500ms);
    EXPECT_TRUE(broker.heard(0).output["1.0.1"].empty());
    broker.send(0, wire::KillRun{GroupId{2}});  // its rank sends no goodbye
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0, 1); }));
    finish(broker, 0);
    for (const char* rank : {"1.0.1", "1.1.1"})
        EXPECT_EQ(broker.heard(0).output[rank], "may end\n");
}

// If all ranks of a host park, they are permitted to exit.
TEST(Parking, NobodySleepsOnAHostAlone) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "park", "goodbye"});
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    for (const char* rank : {"1.0.1", "1.1.1"})
        EXPECT_EQ(broker.heard(0).output[rank], "may end\n");
}

TEST(Input, GoesToAnotherRankWhenItIsToldTo) {
    FakeBroker broker;
    broker.welcome.program =
        program({"hello",   "if",   "2", "take-input", "copy",  "goodbye", "exit",  "0",
                 "fi",      "if",   "0", "say",        "up",    "1",       "sleep", "300",
                 "goodbye", "exit", "0", "fi",         "sleep", "100000"});
    broker.start_agent(0, {served(1, 3, true)});
    ASSERT_TRUE(have_said(broker, 1));
    broker.send(0, wire::RanksLeave{ranks(1, 0, 0)});
    ASSERT_TRUE(broker.run_until([&] { return ends(broker).size() == 1; }));
    broker.give_input(0, "for whoever comes next\n");
    broker.send(0, wire::GiveInput{GroupId{1}, Rank{2}});
    std::string sent = "for whoever comes next\n";
    for (int i = 0; i < 50; ++i) {
        const auto part = std::string(20'000, static_cast<char>('a' + i % 26)) + "\n";
        broker.give_input(0, part);
        sent += part;
    }
    broker.give_input(0, "");
    ASSERT_TRUE(broker.run_until([&] { return ends(broker).size() == 2; }));
    EXPECT_EQ(ends(broker)[1].rank, Rank{2});
    EXPECT_EQ(ends(broker)[1].code, 0);
    broker.send(0, wire::KillRun{GroupId{1}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 5s));
    finish(broker, 0);
    EXPECT_TRUE(broker.heard(0).output["1.2.1"] == "input\n" + sent);
    EXPECT_EQ(broker.heard(0).output.count("1.1.1"), 0u);
}

// Rank 0 may still run when rank 1 gets the input. The end of rank 0 takes no input from rank 1.
TEST(Input, ComesToOneRankAtATime) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "if", "1", "take-input", "copy", "goodbye", "exit",
                                      "0", "fi", "copy", "say", "over", "1", "exit", "0"});
    broker.start_agent(0, {served(1, 2, true)});
    ASSERT_TRUE(broker.run_until(
        [&] { return broker.heard(0).stream && times_said<wire::RankHello>(broker) == 2; }));
    broker.give_input(0, "the first part\n");
    ASSERT_TRUE(
        broker.run_until([&] { return broker.heard(0).output["1.0.1"] == "the first part\n"; }));
    broker.send(0, wire::GiveInput{GroupId{1}, Rank{1}});
    ASSERT_TRUE(broker.run_until([&] { return ends(broker).size() == 1; })) << "its input ends";
    EXPECT_EQ(ends(broker)[0].rank, Rank{0});
    broker.give_input(0, "the second part\n");
    broker.give_input(0, "");
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "the first part\nover 0\n");
    EXPECT_EQ(broker.heard(0).output["1.1.1"], "input\nthe second part\n");
}

// Input has ended before a rank gets it: the rank reads end-of-file. The agent needs no connection
// for the input for this.
TEST(Input, ThatHasEndedIsGivenAsItsEnd) {
    FakeBroker broker;
    broker.welcome.program =
        program({"hello", "take-input", "copy", "say", "over", "1", "goodbye", "exit", "0"});
    broker.start_agent(0, {served(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return times_said<wire::RankHello>(broker) == 1; }));
    broker.send(0, wire::GiveInput{GroupId{1}, Rank{0}, true});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "input\nover 0\n");
}

TEST(Input, ForARankThatIsNotThereIsDropped) {
    for (const int group : {1, 99}) {
        FakeBroker broker;
        broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
        broker.start_agent(0, {served(1, 1)});
        ASSERT_TRUE(have_said(broker, 1));
        broker.send(0, wire::GiveInput{GroupId{group}, Rank{0}});
        for (int i = 0; i < 100; ++i) broker.give_input(0, std::string(100'000, 'x'));
        broker.run_for(200ms);
        broker.send(0, wire::KillRun{GroupId{1}});
        ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 5s));
        finish(broker, 0);
    }
}

}  // namespace
}  // namespace ductile::test::leaving_test
