// Groups whose ranks the agent starts itself. The tests write out the PMI-1 messages of the ranks.
#include <csignal>

#include "agent_test.hpp"

namespace ductile::test::served_test {
namespace {

using core::GroupId;
using core::Rank;

constexpr auto init = "cmd=init pmi_version=1 pmi_subversion=1";
constexpr auto put = "cmd=put kvsname=ductile_test key=mine value=a b=c";
constexpr auto get_theirs = "cmd=get kvsname=ductile_test key=theirs";
constexpr auto get_port = "cmd=get kvsname=ductile_test key=PARENT_ROOT_PORT_NAME";
constexpr auto spawn =
    "mcmd=spawn\nnprocs=1\nexecname=./child\ntotspawns=1\nspawnssofar=1\narg1=an "
    "argument\nargcnt=1\npreput_num=0\ninfo_num=0\nendcmd";

wire::StartRun served(int group, int ranks) {
    auto run = run_of(group, ranks);
    run.manager = wire::ServedWorld{"ductile_test", ranks, 8, ""};
    return run;
}

const std::string& output(FakeBroker& broker, const std::string& name) {
    return broker.heard(0).output[name];
}

template <class Message>
bool has_said(FakeBroker& broker, std::size_t times = 1) {
    return broker.run_until([&] { return broker.heard(0).all<Message>().size() >= times; });
}

TEST(Served, RanksAreTheAgentsChildrenAndHaveTheirPlace) {
    FakeBroker broker;
    broker.welcome.program = program({"pmi", init, "pmi", "cmd=get_universe_size", "err",
                                      "an error", "hello", "goodbye", "exit", "3"});
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    const auto ends = broker.heard(0).all<wire::RankEnded>();
    ASSERT_EQ(ends.size(), 2u);
    for (const auto& end : ends) {
        EXPECT_EQ(end.code, 3);
        EXPECT_TRUE(end.hello);
        EXPECT_TRUE(end.goodbye);
    }
    EXPECT_EQ(broker.heard(0).all<wire::RunEnded>()[0].code, 0);
    finish(broker, 0);
    for (const auto* rank : {"1.0", "1.1"}) {
        EXPECT_EQ(output(broker, std::string(rank) + ".1"),
                  "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"
                  "cmd=universe_size size=8 rc=0\n");
        EXPECT_EQ(output(broker, std::string(rank) + ".2"), "an error\n");
    }
}

TEST(Served, KeysGoUpOnceABarrierAndComeDown) {
    FakeBroker broker;
    broker.welcome.program =
        program({"pmi", init, "pmi", put, "pmi", "cmd=barrier_in", "pmi", get_theirs});
    broker.start_agent(0, {served(1, 3)});
    ASSERT_TRUE(has_said<wire::BarrierReached>(broker));
    const auto said = broker.heard(0).all<wire::BarrierReached>();
    ASSERT_EQ(said.size(), 1u);
    ASSERT_EQ(said[0].keys.size(), 1u);
    EXPECT_EQ(said[0].keys[0].value, "a b=c");
    EXPECT_FALSE(run_ended(broker, 0));
    broker.send(0, wire::BarrierReleased{GroupId{1}, said[0].round, {{"theirs", "x"}}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    EXPECT_TRUE(output(broker, "1.2.1").ends_with("value=x\n")) << output(broker, "1.2.1");
}

TEST(Served, ANewBrokerHearsTheLastBarrierAndTheOneWhereRanksWait) {
    FakeBroker broker;
    broker.welcome.program =
        program({"pmi", init, "pmi", put, "pmi", "cmd=barrier_in", "pmi", "cmd=barrier_in"});
    broker.start_agent(0, {served(1, 1)});
    ASSERT_TRUE(has_said<wire::BarrierReached>(broker));
    broker.send(0, wire::BarrierReleased{GroupId{1}, 0, {}});
    ASSERT_TRUE(has_said<wire::BarrierReached>(broker, 2));
    broker.send(0, wire::QueryInventory{});
    ASSERT_TRUE(has_said<wire::BarrierReached>(broker, 4));
    // The new broker releases the last barrier again, because another host may need this.
    broker.send(0, wire::BarrierReleased{GroupId{1}, 0, {}});
    broker.send(0, wire::QueryInventory{});
    ASSERT_TRUE(has_said<wire::BarrierReached>(broker, 6));
    const auto said = broker.heard(0).all<wire::BarrierReached>();
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(said[i].round, static_cast<int>(i % 2)) << i;
        EXPECT_EQ(said[i].keys.size(), i % 2 == 0 ? 1U : 0U) << i;
    }
    broker.send(0, wire::BarrierReleased{GroupId{1}, 1, {}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
}

TEST(Served, ANewBrokerHearsThatChildrenWaitForNobody) {
    for (const bool children : {true, false}) {
        FakeBroker broker;
        broker.welcome.program = program({"pmi", init, "pmi", get_port});
        auto run = served(1, 1);
        run.spawned = true;
        if (children) run.children = {{1, 0, broker.welcome.program, "", ""}};
        broker.start_agent(0, {run});
        ASSERT_TRUE(has_said<wire::Expecting>(broker));
        broker.send(0, wire::StartRanks{GroupId{1}, {{"PARENT_ROOT_PORT_NAME", "a port"}}});
        ASSERT_TRUE(has_said<wire::GateReached>(broker));
        broker.send(0, wire::QueryInventory{});
        ASSERT_TRUE(has_said<wire::Inventory>(broker));
        broker.send(0, wire::OpenGate{GroupId{1}});
        ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
        EXPECT_EQ(broker.heard(0).all<wire::GateLost>().size(), children ? 1U : 0U);
        finish(broker, 0);
    }
}

TEST(Served, ASpawnedGroupWaitsForItsOrderAndAtItsGate) {
    FakeBroker broker;
    broker.welcome.program = program({"pmi", init, "pmi", get_port});
    auto run = served(1, 2);
    run.spawned = true;
    broker.start_agent(0, {run});
    ASSERT_TRUE(has_said<wire::Expecting>(broker));
    EXPECT_EQ(process_named(broker.marker(0), "rank_program"), 0);
    broker.send(0, wire::StartRanks{GroupId{1}, {{"PARENT_ROOT_PORT_NAME", "a port"}}});
    ASSERT_TRUE(has_said<wire::GateReached>(broker));
    EXPECT_NE(process_named(broker.marker(0), "rank_program"), 0);
    broker.send(0, wire::OpenGate{GroupId{1}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    EXPECT_TRUE(broker.heard(0).all<wire::GateLost>().empty());
    finish(broker, 0);
    EXPECT_TRUE(output(broker, "1.1.1").ends_with("value=a port\n")) << output(broker, "1.1.1");
}

TEST(Served, ARankThatEndsBeforeTheGateLosesIt) {
    FakeBroker broker;
    broker.welcome.program = program({"pmi", init, "exit", "7"});
    auto run = served(1, 1);
    run.spawned = true;
    broker.start_agent(0, {run});
    ASSERT_TRUE(has_said<wire::Expecting>(broker));
    broker.send(0, wire::StartRanks{GroupId{1}, {}});
    ASSERT_TRUE(has_said<wire::GateLost>(broker));
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>().at(0).code, 7);
    finish(broker, 0);
}

TEST(Served, SpawnsAndNamesAreAnsweredByTheBroker) {
    FakeBroker broker;
    broker.welcome.program = program(
        {"pmi", init, "pmi", spawn, "pmi", "cmd=lookup_name service=a service", "pmi", spawn});
    broker.start_agent(0, {served(1, 1)});
    ASSERT_TRUE(has_said<wire::SpawnAsked>(broker));
    const auto asked = broker.heard(0).all<wire::SpawnAsked>()[0];
    ASSERT_EQ(asked.commands.size(), 1u);
    EXPECT_EQ(asked.commands[0].program, (std::vector<std::string>{"./child", "an argument"}));
    broker.send(0, wire::SpawnAnswer{GroupId{1}, Rank{0}, true});
    ASSERT_TRUE(has_said<wire::NameAsked>(broker));
    broker.send(0, wire::NameAnswer{GroupId{1}, Rank{0}, true, "a port"});
    ASSERT_TRUE(has_said<wire::SpawnAsked>(broker, 2));
    broker.send(0, wire::SpawnAnswer{GroupId{1}, Rank{0}, false});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    const auto& said = output(broker, "1.0.1");
    EXPECT_NE(said.find("cmd=spawn_result rc=0"), said.npos) << said;
    EXPECT_NE(said.find("port=a port"), said.npos) << said;
    EXPECT_NE(said.find("cmd=spawn_result rc=-1"), said.npos) << said;
}

TEST(Served, ASpawnFailsWhenTheBrokerIsLost) {
    FakeBroker broker;
    broker.welcome.heartbeat_s = 0.1;
    broker.welcome.heartbeat_limit_s = 0.5;
    broker.welcome.orphan_limit_s = 3;
    const auto file = std::string(::testing::TempDir()) + "spawn_result";
    broker.welcome.program = {"/bin/sh", "-c",
                              "exec " DUCTILE_TEST_PROGRAM " pmi '" + std::string(init) +
                                  "' pmi '" + spawn + "' > " + file};
    broker.start_agent(0, {served(1, 1)});
    ASSERT_TRUE(has_said<wire::SpawnAsked>(broker));
    broker.die();
    ASSERT_TRUE(broker.run_until([&] { return processes_of(broker.marker(0)).empty(); }));
    std::string said(200, '\0');
    FILE* in = std::fopen(file.c_str(), "r");
    ASSERT_NE(in, nullptr);
    said.resize(std::fread(said.data(), 1, said.size(), in));
    std::fclose(in);
    std::remove(file.c_str());
    EXPECT_NE(said.find("cmd=spawn_result rc=-1"), said.npos) << said;
}

TEST(Served, ARankThatSpeaksWronglyIsKilled) {
    FakeBroker broker;
    broker.welcome.program = program({"pmi", "HELO", "sleep", "100000"});
    broker.start_agent(0, {served(1, 1)});
    ASSERT_TRUE(has_said<wire::RankEnded>(broker));
    const auto end = broker.heard(0).all<wire::RankEnded>()[0];
    EXPECT_EQ(end.signal, SIGKILL);
    EXPECT_NE(end.why.find("PMI-1"), end.why.npos) << end.why;
    finish(broker, 0);
}

// After MPI_Abort, a rank under MPICH 5.0.2 waits for an answer to `finalize`. The agent does not
// answer, but kills the rank.
TEST(Served, ARankThatAbortsIsKilledAndEndsWithItsCode) {
    const struct {
        const char* said;
        int code;
    } table[] = {{"7", 7}, {"0", 1}, {"256", 1}, {"-2", 254}};
    for (const auto& row : table) {
        FakeBroker broker;
        broker.welcome.program = program(
            {"pmi", init, "pmi",
             std::string("cmd=abort exitcode=") + row.said + " message=abort\ncmd=finalize"});
        broker.start_agent(0, {served(1, 1)});
        ASSERT_TRUE(has_said<wire::RankEnded>(broker)) << row.said;
        const auto end = broker.heard(0).all<wire::RankEnded>()[0];
        EXPECT_EQ(end.code, row.code) << row.said;
        EXPECT_EQ(end.signal, 0) << row.said;
        EXPECT_EQ(end.why, "it called MPI_Abort");
        finish(broker, 0);
    }
}

TEST(Served, AnAbortIsHeardWhenTheRankHasEnded) {
    FakeBroker broker;
    broker.welcome.program = program({"pmi", init, "tell-pmi", "cmd=abort exitcode=9"});
    broker.start_agent(0, {served(1, 1)});
    ASSERT_TRUE(has_said<wire::RankEnded>(broker));
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>()[0].code, 9);
    finish(broker, 0);
}

const std::string itself = DUCTILE_TEST_PROGRAM;
const std::string asks_its_name = " pmi '" + std::string(init) + "' pmi cmd=get_my_kvsname ";

TEST(Served, OneProgramRunsAfterTheOther) {
    FakeBroker broker;
    const auto one = itself + asks_its_name + "pmi cmd=finalize";
    broker.welcome.program = {"/bin/sh", "-c", one + "; sleep 0.$PMI_RANK; exec " + one};
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
    for (const auto* rank : {"1.0.1", "1.1.1"}) {
        const auto& said = output(broker, rank);
        EXPECT_NE(said.find("kvsname=ductile_test rc=0"), said.npos) << said;
        EXPECT_NE(said.find("kvsname=ductile_test-2 rc=0"), said.npos) << said;
    }
    for (const auto& end : broker.heard(0).all<wire::RankEnded>()) EXPECT_EQ(end.code, 0);
}

TEST(Served, AProgramWithinAProgramIsAlone) {
    FakeBroker broker;
    const auto inner = itself + asks_its_name;
    broker.welcome.program = program(
        {"hello", "pmi", init, "shell", inner + "pmi cmd=barrier_in pmi cmd=finalize", "shell",
         inner + "tell-pmi 'cmd=abort exitcode=3' exit 3", "shell",
         inner + "tell-pmi nonsense sleep 100000", "shell", itself + " hello exit 7", "goodbye"});
    broker.start_agent(0, {served(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    const auto notices = broker.heard(0).all<wire::Notice>();
    finish(broker, 0);
    const auto& said = output(broker, "1.0.1");
    EXPECT_EQ(said.find("kvsname=ductile_test "), said.npos) << said;
    EXPECT_NE(said.find("cmd=barrier_out"), said.npos) << said;
    for (const auto* code : {"code 0\n", "code 3\n", "code 137\n", "code 7\n"})
        EXPECT_NE(said.find(code), said.npos) << said;
    ASSERT_EQ(notices.size(), 3U);
    EXPECT_EQ(notices[0].text, "an MPI program in rank g1.0 called MPI_Abort with the code 3");
    EXPECT_EQ(notices[1].text,
              "an MPI program in rank g1.0 is killed: it breaks PMI-1: it sends a line that is no "
              "command");
    EXPECT_EQ(notices[2].text,
              "a second program with a Job in rank g1.0 runs as a program that is not resized");
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>()[0].code, 0);
}

TEST(Served, AnMpiThatDoesNotSpeakPmiIsNamed) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "mpi-runs", "sleep", "100000"});
    broker.start_agent(0, {served(1, 1)});
    ASSERT_TRUE(has_said<wire::RankEnded>(broker));
    const auto end = broker.heard(0).all<wire::RankEnded>()[0];
    EXPECT_EQ(end.signal, SIGKILL);
    EXPECT_NE(end.why.find("does not speak PMI-1"), end.why.npos) << end.why;
    finish(broker, 0);
}

TEST(Served, AProgramThatCannotBeExecutedIsReportedForEachRank) {
    FakeBroker broker;
    broker.welcome.program = {"/nowhere/nothing"};
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    const auto ends = broker.heard(0).all<wire::RankEnded>();
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_EQ(ends[1].code, 127);
    EXPECT_NE(ends[1].why.find("/nowhere/nothing"), std::string::npos) << ends[1].why;
    finish(broker, 0);
}

TEST(Served, NothingIsLeftOfAGroupThatIsKilled) {
    FakeBroker broker;
    broker.welcome.program =
        program({"hello", "orphan", "bare-orphan", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
    broker.send(0, wire::KillRun{GroupId{1}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 3s));
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>().size(), 2u);
    finish(broker, 0);
}

// /proc shows no environment of a process while exec replaces its program. So it cannot be found by
// its mark.
TEST(Served, AGroupIsKilledWhileItsRanksStart) {
    constexpr int groups = 30;
    FakeBroker broker;
    broker.welcome.program = program({"sleep", "100000"});
    std::vector<wire::StartRun> runs;
    for (int group = 1; group <= groups; ++group) {
        runs.push_back(served(group, 2));
        runs.back().spawned = true;
    }
    broker.start_agent(0, runs);
    ASSERT_TRUE(has_said<wire::Expecting>(broker, groups));
    for (int group = 1; group <= groups; ++group) {
        broker.send(0, wire::StartRanks{GroupId{group}, {}});
        broker.send(0, wire::KillRun{GroupId{group}});
    }
    EXPECT_TRUE(has_said<wire::RunEnded>(broker, groups))
        << broker.heard(0).all<wire::RunEnded>().size() << " of " << groups << " have ended";
    finish(broker, 0);
}

TEST(Served, RanksThatShowNoEnvironmentAreKilled) {
    FakeBroker broker;
    broker.welcome.program = program({"hide", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
    ASSERT_TRUE(processes_of(broker.marker(0)).empty());
    broker.send(0, wire::KillRun{GroupId{1}});
    EXPECT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }, 3s));
    finish(broker, 0);
}

TEST(Served, ARankThatIsKilledLeavesItsSiblings) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
    kill_process_named(broker.marker(0), "rank_program", SIGSEGV);
    ASSERT_TRUE(has_said<wire::RankEnded>(broker));
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>()[0].signal, SIGSEGV);
    broker.run_for(300ms);
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>().size(), 1u);
    EXPECT_FALSE(run_ended(broker, 0));
    broker.send(0, wire::EndJob{"a rank died"});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 5s));
    EXPECT_TRUE(processes_of(broker.marker(0)).empty());
}

TEST(Served, AnAgentThatIsKilledTakesItsRanksAlong) {
    FakeBroker broker;
    broker.welcome.program = program({"say", "up", "1", "sleep", "100000"});
    broker.start_agent(0, {served(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).output.size() == 2; }));
    ::kill(broker.agent_pid(0), SIGKILL);
    ASSERT_TRUE(broker.run_until([&] { return processes_of(broker.marker(0)).empty(); }, 2s));
}

}  // namespace
}  // namespace ductile::test::served_test
