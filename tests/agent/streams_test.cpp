// The output and input of ranks, through the agent.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "agent_test.hpp"

namespace ductile::test::streams_test {
namespace {

TEST(Streams, PartialLinesAreNotMixedAndNothingIsLost) {
    FakeBroker broker;
    broker.welcome.program =
        program({"part", "half a ", "sleep", "100", "part", "line\nno end", "err", "problem"});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    auto& output = broker.heard(0).output;
    for (const char* out : {"1.0.1", "1.1.1"}) EXPECT_EQ(output[out], "half a line\nno end");
    for (const char* err : {"1.0.2", "1.1.2"}) EXPECT_EQ(output[err], "problem\n");
}

TEST(Streams, PartialLinesArriveWhileTheRankIsQuiet) {
    FakeBroker broker;
    broker.partial = true;
    broker.welcome.program = program({"part", "Your na", "part", "me: ", "err", "quiet", "copy"});
    broker.start_agent(0, {run_of(1, 1, true)});
    auto& output = broker.heard(0).output;
    ASSERT_TRUE(broker.run_until([&] { return output["1.0.1"] == "Your name: "; }));
    broker.give_input(0, "Ann\n");
    ASSERT_TRUE(broker.run_until([&] { return output["1.0.1"] == "Your name: Ann\n"; }));
    broker.give_input(0, "");
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_EQ(output["1.0.2"], "quiet\n");
}

TEST(Streams, MuchOutputArrivesWholeAndInOrder) {
    FakeBroker broker;
    constexpr int lines = 200'000;
    broker.welcome.program = program({"say", "a line of some length", std::to_string(lines)});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 30s));
    finish(broker, 0);
    std::string expected;
    for (int i = 0; i < lines; ++i) expected += "a line of some length " + std::to_string(i) + "\n";
    EXPECT_TRUE(broker.heard(0).output["1.0.1"] == expected);
    EXPECT_TRUE(broker.heard(0).output["1.1.1"] == expected);
    EXPECT_TRUE(broker.heard(0).every_line_whole);
}

TEST(Streams, SlowReaderHoldsTheWriterAndNotTheControlMessages) {
    FakeBroker broker;
    broker.welcome.program = program({"say", std::string(100, 'x'), "300000", "hello", "goodbye"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(
        broker.run_until([&] { return broker.heard(0).stream && broker.heard(0).control; }));
    broker.pause_output(0, true);
    broker.run_for(1500ms);
    EXPECT_TRUE(broker.heard(0).all<wire::RankEnded>().empty());  // 30 MB exceed the buffers
    broker.send(0, wire::SignalRanks{ranks(1, 0, 0), SIGCONT});
    const auto heartbeats = broker.heard(0).all<wire::Heartbeat>().size();
    broker.run_for(700ms);
    EXPECT_GT(broker.heard(0).all<wire::Heartbeat>().size(), heartbeats);
    broker.pause_output(0, false);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 20s));
    finish(broker, 0);
    EXPECT_EQ(std::ranges::count(broker.heard(0).output["1.0.1"], '\n'), 300000);
}

TEST(Streams, SlowReaderStillGetsAllAfterTheRunHasEnded) {
    FakeBroker broker;
    broker.welcome.program = program({"say", std::string(100, 'x'), "500"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).stream; }));
    broker.pause_output(0, true);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    broker.send(0, wire::FinishAgent{});
    broker.run_for(3s);
    broker.pause_output(0, false);
    ASSERT_TRUE(
        broker.run_until([&] { return broker.heard(0).exited && !broker.heard(0).stream; }));
    EXPECT_EQ(std::ranges::count(broker.heard(0).output["1.0.1"], '\n'), 500);
}

TEST(Streams, LongLineIsCutAndNotKept) {
    FakeBroker broker;
    broker.welcome.program = program({"copy"});
    broker.start_agent(0, {run_of(1, 1, true)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).stream; }));
    for (int i = 0; i < 8; ++i) broker.give_input(0, std::string(100'000, 'x'));
    broker.give_input(0, "");
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.0.1"].size(), 800'000u);
}

TEST(Streams, InputReachesRankZeroAloneAndEnds) {
    FakeBroker broker;
    broker.welcome.program = program({"copy"});
    broker.start_agent(0, {run_of(1, 2, true)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).stream; }));
    std::string sent;
    for (int i = 0; i < 50; ++i) {
        const auto part = std::string(20'000, static_cast<char>('a' + i % 26)) + "\n";
        broker.give_input(0, part);
        sent += part;
    }
    broker.give_input(0, "");
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_TRUE(broker.heard(0).output["1.0.1"] == sent);
    EXPECT_EQ(broker.heard(0).output.count("1.1.1"), 0u);
}

TEST(Streams, RankThatReadsNoInputDoesNotHoldAnything) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "sleep", "1000", "goodbye"});
    broker.start_agent(0, {run_of(1, 1, true)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).stream; }));
    for (int i = 0; i < 100; ++i) broker.give_input(0, std::string(100'000, 'x'));
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>()[0].code, 0);
    finish(broker, 0);
}

TEST(Streams, PipeHeldByAnotherProcessEndsAfterTheGroup) {
    FakeBroker broker;
    // The child has no mark. When its parents have ended, it becomes a child of the agent, which is
    // a sub-reaper. The agent finds and kills it. Then its pipe ends.
    broker.welcome.program = {"/bin/sh", "-c", "(exec env -i /bin/sleep 1000) & echo started"};
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 5s));
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "started\n");
}

TEST(Streams, AreNotConnectedForRanksThatWriteAndReadNothing) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "goodbye"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    broker.send(0, wire::FinishAgent{});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }));
    EXPECT_TRUE(broker.heard(0).goodbye);
    EXPECT_FALSE(broker.heard(0).stream_goodbye);
}

TEST(Streams, WithoutABrokerOutputGoesToABoundedFile) {
    FakeBroker broker;
    const auto directory = std::filesystem::temp_directory_path() / broker.job();
    std::filesystem::create_directory(directory);
    broker.welcome.directory = directory;
    broker.welcome.program = program(
        {"hello", "await-lost", "sleep", "300", "say", std::string(200, 'y'), "150000", "goodbye"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] {
        return broker.heard(0).control && !broker.heard(0).all<wire::FromRanks>().empty();
    }));
    wire::Coordinator coordinator;
    coordinator.host = core::HostIndex{0};
    coordinator.members = {core::HostIndex{0}};
    broker.send(0, coordinator);
    broker.run_for(200ms);
    broker.die();
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }));
    EXPECT_EQ(broker.heard(0).code, 0) << broker.heard(0).said;
    const auto file = directory / ("ductile-" + broker.job() + ".host0.out");
    ASSERT_TRUE(std::filesystem::exists(file));
    EXPECT_LE(std::filesystem::file_size(file), (16u << 20) + 200);
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(text.starts_with("broker lost\nyyy"));
    EXPECT_NE(text.find("output from here on was dropped"), std::string::npos);
    std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace ductile::test::streams_test
