// kill -9 of each process in the chain agent - launcher - shim - rank.
#include <csignal>

#include "agent_test.hpp"
#include "os/stray_processes.hpp"
#include "rms/self.hpp"
#include "wire/json_line.hpp"

namespace ductile::test::deaths_test {
namespace {

void start_two_ranks(FakeBroker& broker) {
    broker.welcome.program =
        program({"hello", "orphan", "bare-orphan", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
}

TEST(Deaths, LauncherTakesItsRanksAlong) {
    FakeBroker broker;
    start_two_ranks(broker);
    kill_process_named(broker.marker(0), "test_launcher", SIGKILL);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 4s));
    EXPECT_EQ(broker.heard(0).all<wire::RunEnded>()[0].signal, SIGKILL);
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>().size(), 2u);
    EXPECT_EQ(process_named(broker.marker(0), "rank_program"), 0);
    finish(broker, 0);
}

TEST(Deaths, ShimTakesItsRankAlongAndIsReported) {
    FakeBroker broker;
    start_two_ranks(broker);
    kill_process_named(broker.marker(0), "/shim", SIGKILL);
    // More than one rank may end: a launcher may end all when a signal has killed one process.
    ASSERT_TRUE(
        broker.run_until([&] { return !broker.heard(0).all<wire::RankEnded>().empty(); }, 2s));
    const auto end = broker.heard(0).all<wire::RankEnded>()[0];
    EXPECT_EQ(end.signal, SIGKILL);
    EXPECT_EQ(end.why, "its shim was killed");
    EXPECT_FALSE(end.goodbye);
    broker.send(0, wire::EndJob{"a rank died"});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 5s));
    EXPECT_TRUE(processes_of(broker.marker(0)).empty());
}

TEST(Deaths, RankIsReportedAndItsSiblingsLive) {
    FakeBroker broker;
    start_two_ranks(broker);
    const int rank = process_named(broker.marker(0), "rank_program");
    ::kill(rank, SIGSEGV);
    ASSERT_TRUE(
        broker.run_until([&] { return broker.heard(0).all<wire::RankEnded>().size() == 1; }, 2s));
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>()[0].code, 128 + SIGSEGV);
    broker.run_for(500ms);
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>().size(), 1u);
    broker.send(0, wire::KillRun{core::GroupId{1}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 3s));
    finish(broker, 0);
}

TEST(Deaths, StoppedRankIsNoFailure) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "500", "goodbye"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return !broker.heard(0).output.empty(); }));
    const int rank = process_named(broker.marker(0), "rank_program");
    ::kill(rank, SIGSTOP);
    broker.run_for(2s);
    EXPECT_TRUE(broker.heard(0).all<wire::RankEnded>().empty());
    ::kill(rank, SIGCONT);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 3s));
    EXPECT_TRUE(broker.heard(0).all<wire::RankEnded>()[0].goodbye);
    finish(broker, 0);
}

TEST(Deaths, AgentTakesAllAlongAndASweepEndsWhatFled) {
    FakeBroker broker;
    start_two_ranks(broker);
    ::kill(broker.agent_pid(0), SIGKILL);
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 2s));
    EXPECT_EQ(broker.heard(0).code, 128 + SIGKILL);
    EXPECT_TRUE(broker.run_until(
        [&] {
            return process_named(broker.marker(0), "rank_program") == 0 &&
                   process_named(broker.marker(0), "test_launcher") == 0;
        },
        3s));
    // Daemons that the ranks left behind can be found only by the mark in their environment.
    asio::io_context io;
    int code = -1;
    const rms::AgentProcess sweep(io, {rms::companion("agent"), "--sweep", broker.job() + ".0"}, "",
                                  [&](int c, const std::string&) { code = c; });
    io.run_for(5s);
    EXPECT_EQ(code, 0);
    EXPECT_TRUE(processes_of(broker.marker(0)).empty());
}

TEST(Deaths, NextAgentClearsTheDirectoryOfADeadOne) {
    FakeBroker broker;
    start_two_ranks(broker);
    ::kill(broker.agent_pid(0), SIGKILL);
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 2s));
    EXPECT_EQ(directories_of(broker.job()).size(), 1u);
    os::kill_processes(processes_of(broker.marker(0)));
    broker.welcome.program = program({"hello", "goodbye"});
    broker.start_agent(0, {run_of(2, 1)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0, 2); }));
    finish(broker, 0);
}

TEST(Deaths, SecondAgentOfTheSameNameIsRefused) {
    FakeBroker broker;
    start_two_ranks(broker);
    const int first = broker.agent_pid(0);
    wire::Json line = {{"job", broker.job()},
                       {"host", 0},
                       {"host_name", "x"},
                       {"generation", 1},
                       {"secret", std::string(64, '0')},
                       {"addresses", {"127.0.0.1"}},
                       {"port", 1},
                       {"logical", true},
                       {"partial_stdout", false},
                       {"partial_stderr", false}};
    asio::io_context io;
    int code = -1;
    std::string said;
    const rms::AgentProcess second(io, {rms::companion("agent")}, line.dump() + "\n",
                                   [&](int c, const std::string& s) { code = c, said = s; });
    io.run_for(3s);
    EXPECT_EQ(code, 1);
    EXPECT_NE(said.find("one is running already"), std::string::npos) << said;
    EXPECT_TRUE(is_alive(first));
    broker.send(0, wire::EndJob{"over"});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 5s));
}

}  // namespace
}  // namespace ductile::test::deaths_test
