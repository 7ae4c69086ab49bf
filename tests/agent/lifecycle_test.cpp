// A run starts, prints something and ends. The agent ends after it, and leaves nothing behind.
#include <sys/wait.h>

#include <csignal>

#include "agent_test.hpp"
#include "os/spawn.hpp"
#include "rms/self.hpp"

namespace ductile::test::lifecycle_test {
namespace {

using core::GroupId;
using core::Rank;

TEST(Lifecycle, RunInTheBootstrapStartsSpeaksAndEnds) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "line", "3", "goodbye"});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    const auto& heard = broker.heard(0);
    const auto hellos = heard.all<wire::AgentHello>();
    ASSERT_EQ(hellos.size(), 1u);
    EXPECT_GT(hellos[0].port, 0);
    const auto ranks = heard.all<wire::RankEnded>();
    ASSERT_EQ(ranks.size(), 2u);
    for (const auto& rank : ranks) {
        EXPECT_EQ(rank.code, 0);
        EXPECT_TRUE(rank.hello);
        EXPECT_TRUE(rank.goodbye);
    }
    int said_hello = 0, said_goodbye = 0;
    for (const auto& message : heard.all<wire::FromRanks>()) {
        said_hello += std::holds_alternative<wire::RankHello>(message.message);
        said_goodbye += std::holds_alternative<wire::Goodbye>(message.message);
    }
    EXPECT_EQ(said_hello, 2);
    EXPECT_EQ(said_goodbye, 2);
    EXPECT_EQ(heard.all<wire::RunEnded>()[0].code, 0);
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "line 0\nline 1\nline 2\n");
    EXPECT_EQ(broker.heard(0).output["1.1.1"], "line 0\nline 1\nline 2\n");
}

TEST(Lifecycle, SecondRunOnTheSameHost) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "goodbye"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(
        broker.run_until([&] { return run_ended(broker, 0, 1) && broker.heard(0).control; }));
    broker.send(0, run_of(2, 3));
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0, 2); }));
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>().size(), 4u);
    broker.send(0, run_of(2, 1));  // an id is never reused
    ASSERT_TRUE(broker.run_until([&] { return !broker.heard(0).all<wire::Notice>().empty(); }));
    finish(broker, 0);
}

struct EndCase {
    std::vector<std::string> acts;
    int code, signal;
};

TEST(Lifecycle, TrueWaitStatusOfEachRank) {
    for (const EndCase& one :
         {EndCase{{"exit", "7"}, 7, 0}, EndCase{{"kill", "9"}, 137, 9},
          EndCase{{"kill", "11"}, 139, 11}, EndCase{{"hello", "exit", "0"}, 0, 0}}) {
        FakeBroker broker;
        broker.welcome.program = program(one.acts);
        broker.start_agent(0, {run_of(1, 1)});
        ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); })) << one.acts[0];
        const auto ranks = broker.heard(0).all<wire::RankEnded>();
        ASSERT_EQ(ranks.size(), 1u);
        EXPECT_EQ(ranks[0].code, one.code);
        EXPECT_EQ(ranks[0].signal, one.signal);
        EXPECT_EQ(ranks[0].hello, one.acts[0] == "hello");
        EXPECT_FALSE(ranks[0].goodbye);
        finish(broker, 0);
    }
}

TEST(Lifecycle, ProgramThatIsNotThere) {
    FakeBroker broker;
    broker.welcome.program = {"/nowhere/at/all"};
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    const auto ranks = broker.heard(0).all<wire::RankEnded>();
    ASSERT_EQ(ranks.size(), 2u);
    EXPECT_EQ(ranks[0].code, 127);
    EXPECT_EQ(ranks[0].why, "cannot execute /nowhere/at/all: No such file or directory");
    finish(broker, 0);
}

TEST(Lifecycle, DirectoryUmaskLimitsAndEnvironmentOfTheWelcome) {
    FakeBroker broker;
    broker.welcome.program = {"/bin/sh", "-c",
                              "pwd; umask; ulimit -n; ulimit -c; echo $DUCTILE_HOST $OURS"};
    broker.welcome.directory = "/usr";
    broker.welcome.umask = 0123;
    broker.welcome.resource_limits = {"7 100 200", "4 0 0"};  // files, core
    broker.welcome.environment.push_back("OURS=as given");
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "/usr\n0123\n100\n0\n0 as given\n");
}

TEST(Lifecycle, MpiProgramFindsItsWorld) {
    FakeBroker broker;
    broker.welcome.program = {DUCTILE_TEST_MPI_PROGRAM};
    auto three = run_of(1, 3), one = run_of(2, 1);
    three.manager = wire::ServedWorld{"ductile_three", 3, 8, ""};
    one.manager = wire::ServedWorld{"ductile_one", 1, 8, ""};
    broker.start_agent(0, {three, one});
    std::size_t released = 0;
    const auto release_barriers = [&] {
        const auto reached = broker.heard(0).all<wire::BarrierReached>();
        for (; released < reached.size(); ++released) {
            const auto& barrier = reached[released];
            broker.send(0, wire::BarrierReleased{barrier.group, barrier.round, barrier.keys});
        }
    };
    ASSERT_TRUE(broker.run_until(
        [&] {
            release_barriers();
            return run_ended(broker, 0, 1) && run_ended(broker, 0, 2);
        },
        20s));
    for (const auto& end : broker.heard(0).all<wire::RankEnded>())
        EXPECT_EQ(end.code, 0) << end.why;
    finish(broker, 0);
    for (const int rank : {0, 1, 2})
        EXPECT_EQ(broker.heard(0).output["1." + std::to_string(rank) + ".1"],
                  "rank " + std::to_string(rank) + " of 3\n");
    EXPECT_EQ(broker.heard(0).output["2.0.1"], "rank 0 of 1\n");
}

TEST(Lifecycle, LauncherOrDirectoryThatIsNotThere) {
    for (const bool launcher : {true, false}) {
        FakeBroker broker;
        broker.welcome.program = program({});
        if (launcher)
            broker.welcome.launcher[0] = "/nowhere/mpiexec";
        else
            broker.welcome.directory = "/nowhere/here";
        broker.start_agent(0, {run_of(1, 1)});
        ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
        const auto end = broker.heard(0).all<wire::RunEnded>()[0];
        EXPECT_EQ(end.code, 127);
        EXPECT_NE(end.text.find("/nowhere/"), std::string::npos) << end.text;
        finish(broker, 0);
    }
}

TEST(Lifecycle, MessagesToRanksWaitForTheirHello) {
    FakeBroker broker;
    broker.welcome.program = program({"sleep", "500", "hello", "await-lost"});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).control; }));
    wire::ToRanks order;
    order.ranks = ranks(1, 0, 1);
    order.ranks.push_back(ranks(99, 0, 0).front());
    order.message = wire::BrokerLost{};
    broker.send(0, order);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "broker lost\n");
    EXPECT_EQ(broker.heard(0).output["1.1.1"], "broker lost\n");
}

TEST(Lifecycle, KillRunEndsARunAtOnce) {
    FakeBroker broker;
    broker.welcome.program =
        program({"hello", "orphan", "bare-orphan", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
    broker.send(0, wire::KillRun{GroupId{1}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 2s));
    EXPECT_TRUE(process_named(broker.marker(0), "rank_program") == 0);
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>().size(), 2u);
    finish(broker, 0);
}

TEST(Lifecycle, GroupThatShouldLeaveIsKilledAfterItsTime) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 1; }));
    broker.send(0, wire::RanksLeave{ranks(1, 0, 0)});
    broker.run_for(500ms);
    EXPECT_FALSE(run_ended(broker, 0));
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 2s));
    finish(broker, 0);
}

TEST(Lifecycle, MessagesGoToTheRanksThatTheyAreFor) {
    FakeBroker broker;
    broker.welcome.program =
        program({"hello", "if", "1", "await-lost", "fi", "if", "3", "await-lost", "fi", "goodbye"});
    broker.start_agent(0, {run_of(1, 4)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).control; }));
    wire::ToRanks order;
    order.ranks = ranks(1, 3, 9);
    order.ranks.push_back(ranks(1, 1, 1).front());
    order.message = wire::BrokerLost{};
    broker.send(0, order);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.1.1"], "broker lost\n");
    EXPECT_EQ(broker.heard(0).output["1.3.1"], "broker lost\n");
}

TEST(Lifecycle, EndJobAndSigtermEndAll) {
    for (const bool signal : {false, true}) {
        FakeBroker broker;
        broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
        broker.start_agent(0, {run_of(1, 1), run_of(2, 1)});
        ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
        if (signal)
            broker.stop_agent_with(0, SIGTERM);
        else
            broker.send(0, wire::EndJob{"the test says so"});
        ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 5s));
        EXPECT_TRUE(run_ended(broker, 0, 1) && run_ended(broker, 0, 2));
        EXPECT_TRUE(broker.heard(0).goodbye);
        EXPECT_EQ(broker.heard(0).code, 0);
        EXPECT_TRUE(processes_of(broker.marker(0)).empty());
    }
}

TEST(Lifecycle, SignalsReachTheRanksThatTheyAreFor) {
    FakeBroker broker;
    broker.welcome.program = program({"catch", std::to_string(SIGUSR1)});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
    broker.send(0, wire::SignalRanks{ranks(1, 1, 1), SIGUSR1});
    ASSERT_TRUE(
        broker.run_until([&] { return broker.heard(0).all<wire::RankEnded>().size() == 1; }));
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "ready\n");
    broker.send(0, wire::SignalRanks{ranks(1, 0, 1), SIGUSR1});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    const auto expected = "ready\ncaught " + std::to_string(SIGUSR1) + "\n";
    EXPECT_EQ(broker.heard(0).output["1.0.1"], expected);
    EXPECT_EQ(broker.heard(0).output["1.1.1"], expected);
}

TEST(Lifecycle, SignalsReachAllProcessesOfARank) {
    FakeBroker broker;
    const std::string number = std::to_string(SIGUSR2);
    const std::string inner =
        "trap 'echo inner; exit 0' " + number + "; echo ready; while :; do sleep 0.01; done";
    broker.welcome.program = {"/bin/sh", "-c",
                              "trap : " + number + "; sh -c \"" + inner + "\"; echo outer"};
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output["1.0.1"] == "ready\n"; }));
    broker.send(0, wire::SignalRanks{ranks(1, 0, 0), SIGUSR2});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "ready\ninner\nouter\n");
}

TEST(Lifecycle, AnAgentIgnoresWhatIsForTheProgram) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 1; }));
    for (const int number : {SIGUSR1, SIGUSR2, SIGXCPU, SIGRTMIN})
        broker.stop_agent_with(0, number);
    broker.send(0, wire::EndJob{"the test says so"});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 5s));
    EXPECT_TRUE(broker.heard(0).goodbye);
    EXPECT_EQ(broker.heard(0).code, 0);
}

// Shells start new processes with the agent's mark all the time, so that its last sweep takes long.
// The agent must send heartbeats meanwhile.
TEST(Lifecycle, AnAgentThatSweepsGoesOnSpeaking) {
    FakeBroker broker;
    broker.welcome.heartbeat_s = 0.05;
    broker.welcome.program = program({"hello", "goodbye"});
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0) && broker.heard(0).control; }));
    os::Spawn shell;
    shell.argv = {"/bin/sh", "-c",
                  "exec 2>/dev/null; while :; do DUCTILE_AGENT=" + broker.marker(0) +
                      " /bin/sleep 1000; done"};
    shell.input = shell.output = shell.error = 2;
    std::vector<pid_t> shells;
    for (int i = 0; i < 4; ++i) shells.push_back(os::spawn(shell));
    ASSERT_TRUE(broker.run_until([&] { return processes_of(broker.marker(0)).size() >= 4; }));
    broker.send(0, wire::FinishAgent{});
    const auto before = broker.heard(0).all<wire::Heartbeat>().size();
    broker.run_for(500ms);
    const auto heartbeats = broker.heard(0).all<wire::Heartbeat>().size() - before;
    const bool still_there = !broker.heard(0).exited;
    for (const auto pid : shells) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    EXPECT_TRUE(still_there) << "the sweep was over at once";
    EXPECT_GE(heartbeats, 4u);
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }));
    EXPECT_TRUE(broker.heard(0).goodbye);
    EXPECT_EQ(broker.heard(0).code, 0);
    EXPECT_TRUE(processes_of(broker.marker(0)).empty());
}

TEST(Lifecycle, TwoAgentsOfOneMachineDoNotTouchEachOther) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {run_of(1, 1)});
    broker.start_agent(1, {run_of(2, 1)});
    ASSERT_TRUE(broker.run_until(
        [&] { return !broker.heard(0).output.empty() && !broker.heard(1).output.empty(); }));
    broker.send(0, wire::EndJob{"only this one"});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 5s));
    EXPECT_TRUE(processes_of(broker.marker(0)).empty());
    EXPECT_NE(process_named(broker.marker(1), "rank_program"), 0);
    EXPECT_FALSE(run_ended(broker, 1, 2));
}

TEST(Lifecycle, BadBootstrapIsRefusedWithItsPlace) {
    asio::io_context io;
    int code = -1;
    std::string said;
    const rms::AgentProcess agent(io, {rms::companion("agent")}, "{\"job\": \"a/b\"}\n",
                                  [&](int c, const std::string& s) { code = c, said = s; });
    io.run_for(5s);
    EXPECT_EQ(code, 2);
    EXPECT_NE(said.find("bootstrap.job"), std::string::npos) << said;
}

}  // namespace
}  // namespace ductile::test::lifecycle_test
