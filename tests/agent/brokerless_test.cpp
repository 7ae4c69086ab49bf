// Agents that have lost their broker.
#include <csignal>

#include "agent_test.hpp"

namespace ductile::test::brokerless_test {
namespace {

using core::HostIndex;

/// Starts agents on hosts 0 to `hosts` - 1, with one rank each. Agent 0 is the coordinator. The
/// first `members` hosts (-1: all) have members of the job, the other hosts have newcomers.
void start_hosts(FakeBroker& broker, int hosts, int members = -1) {
    if (members < 0) members = hosts;
    for (int host = 0; host < hosts; ++host) {
        auto run = run_of(host + 1, 1);
        auto& welcome = std::get<wire::RankWelcome>(run.welcome);
        welcome.role = host < members ? wire::Role::initial : wire::Role::newcomer;
        broker.start_agent(host, {run});
    }
    ASSERT_TRUE(broker.run_until([&] {
        for (int host = 0; host < hosts; ++host)
            if (!broker.heard(host).control || broker.heard(host).all<wire::FromRanks>().empty())
                return false;
        return true;
    }));
    const auto hello = broker.heard(0).all<wire::AgentHello>().at(0);
    wire::Coordinator coordinator;
    coordinator.host = HostIndex{0};
    coordinator.addresses = hello.addresses;
    coordinator.port = hello.port;
    for (int host = 0; host < members; ++host) coordinator.members.push_back(HostIndex{host});
    for (int host = 0; host < hosts; ++host) broker.send(host, coordinator);
    broker.run_for(200ms);
}

bool all_exited(FakeBroker& broker, int hosts) {
    for (int host = 0; host < hosts; ++host)
        if (!broker.heard(host).exited) return false;
    return true;
}

TEST(Brokerless, JobRunsOnToItsEndAndAgentsCleanUp) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "await-lost", "sleep", "4000", "goodbye"});
    start_hosts(broker, 3);  // the orphan limit is 2 s; the ranks run longer
    broker.die();
    broker.run_for(3500ms);
    for (int host = 0; host < 3; ++host) EXPECT_FALSE(broker.heard(host).exited) << host;
    ASSERT_TRUE(broker.run_until([&] { return all_exited(broker, 3); }, 5s));
    for (int host = 0; host < 3; ++host) {
        EXPECT_EQ(broker.heard(host).code, 0) << broker.heard(host).said;
        EXPECT_TRUE(processes_of(broker.marker(host)).empty());
    }
    EXPECT_TRUE(directories_of(broker.job()).empty());
}

TEST(Brokerless, DeadRankEndsTheJobAtTheLimit) {
    for (const int victim : {0, 2}) {
        FakeBroker broker;
        broker.welcome.program = program({"hello", "sleep", "100000"});
        start_hosts(broker, 3);
        broker.die();
        broker.run_for(500ms);
        kill_process_named(broker.marker(victim), "rank_program", SIGKILL);
        broker.run_for(1200ms);
        EXPECT_FALSE(broker.heard(1).exited);
        ASSERT_TRUE(broker.run_until([&] { return all_exited(broker, 3); }, 3s)) << victim;
        for (int host = 0; host < 3; ++host) {
            EXPECT_EQ(broker.heard(host).code, 1);
            EXPECT_TRUE(processes_of(broker.marker(host)).empty());
        }
    }
}

TEST(Brokerless, DeadAgentEndsTheJobAtTheLimit) {
    for (const int victim : {0, 2}) {
        FakeBroker broker;
        broker.welcome.program = program({"hello", "sleep", "100000"});
        start_hosts(broker, 3);
        broker.die();
        broker.run_for(500ms);
        ::kill(broker.agent_pid(victim), SIGKILL);
        ASSERT_TRUE(broker.run_until([&] { return all_exited(broker, 3); }, 4s)) << victim;
        for (int host = 0; host < 3; ++host) EXPECT_TRUE(processes_of(broker.marker(host)).empty());
    }
}

TEST(Brokerless, RankThatMpiKeepsInsideOfASpawnEndsTheJobAtTheLimit) {
    struct Case {
        bool blocks_threads;
        const char* spawned;  ///< the group whose start has returned; the ordered group is 7
        bool ends;
    };
    for (const auto& [blocks_threads, spawned, ends] :
         {Case{true, "8", true}, Case{true, "7", false}, Case{false, "8", false}}) {
        FakeBroker broker;
        broker.welcome.spawn_blocks_threads = blocks_threads;
        broker.welcome.program =
            program({"hello", "sleep", "1000", "spawned", spawned, "sleep", "2500", "goodbye"});
        start_hosts(broker, 1);
        wire::SpawnGroup order;
        order.group = core::GroupId{7};
        order.ranks = 1;
        broker.send(0, wire::ToRanks{ranks(1, 0, 0), order});
        broker.run_for(200ms);
        broker.die();
        ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 6s));
        EXPECT_EQ(broker.heard(0).code, ends ? 1 : 0) << blocks_threads << spawned;
        EXPECT_EQ(broker.heard(0).said.find("MPI_Comm_spawn") != std::string::npos, ends);
        EXPECT_TRUE(processes_of(broker.marker(0)).empty());
    }
}

TEST(Brokerless, NewcomersThatNeverJoinedEndAfterTheJob) {
    FakeBroker broker;
    broker.welcome.program = {"/bin/sh", "-c",
                              "if [ $DUCTILE_HOST = 0 ]; then exec " DUCTILE_TEST_PROGRAM
                              " hello await-lost sleep 500 goodbye; else exec " DUCTILE_TEST_PROGRAM
                              " hello sleep 100000; fi"};
    start_hosts(broker, 2, 1);
    broker.die();
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 3s));
    EXPECT_EQ(broker.heard(0).code, 0);
    EXPECT_FALSE(broker.heard(1).exited);
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(1).exited; }, 4s));
    EXPECT_EQ(broker.heard(1).code, 0) << "it has ended its newcomers, not all that runs there";
    EXPECT_TRUE(processes_of(broker.marker(1)).empty());
}

TEST(Brokerless, DeathBeforeTheBrokersCountsToo) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "sleep", "100000"});
    start_hosts(broker, 3);
    kill_process_named(broker.marker(1), "rank_program", SIGKILL);
    ASSERT_TRUE(
        broker.run_until([&] { return broker.heard(1).all<wire::RankEnded>().size() == 1; }));
    broker.die();
    // All end after one limit. Hosts that only miss the ended host do not wait for another limit.
    ASSERT_TRUE(broker.run_until([&] { return all_exited(broker, 3); }, 3700ms));
}

TEST(Brokerless, StoppedBrokerIsWaitedFor) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
    start_hosts(broker, 1);
    ::usleep(3'500'000);  // the broker's event loop does not run, as if the broker were stopped
    broker.run_for(500ms);
    EXPECT_FALSE(broker.heard(0).exited);
    EXPECT_TRUE(broker.heard(0).control);
    broker.send(0, wire::EndJob{"over"});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 5s));
    EXPECT_EQ(broker.heard(0).code, 0);
}

TEST(Brokerless, ThawedAgentComesBackOrIsRefused) {
    for (const bool refused : {false, true}) {
        FakeBroker broker;
        broker.welcome.program = program({"hello", "say", "up", "1", "sleep", "100000"});
        start_hosts(broker, 1);
        broker.stop_agent_with(0, SIGSTOP);
        broker.run_for(3s);
        if (refused) broker.refuse(0);
        broker.stop_agent_with(0, SIGCONT);
        broker.run_until([&] { return broker.heard(0).exited; }, 3s);
        EXPECT_EQ(broker.heard(0).exited, refused);
        if (!refused) broker.send(0, wire::EndJob{"over"});
        ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 5s));
        EXPECT_TRUE(processes_of(broker.marker(0)).empty());
    }
}

TEST(Brokerless, OldGenerationIsRefused) {
    FakeBroker broker;
    broker.welcome.program = program({"hello", "sleep", "100000"});
    start_hosts(broker, 1);
    const auto old_marker = broker.marker(0);
    const int old_agent = broker.agent_pid(0);
    auto forgotten = broker.forget(0);
    broker.start_agent(0, {}, 2);
    broker.cut(forgotten);
    ASSERT_TRUE(broker.run_until([&] { return !is_alive(old_agent); }, 5s));
    EXPECT_TRUE(processes_of(old_marker).empty());
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).control; }));
    finish(broker, 0);
}

TEST(Brokerless, AgentThatNeverReachesItsBrokerEndsAll) {
    FakeBroker broker;
    broker.welcome.program = program({"sleep", "100000"});
    broker.die();
    broker.start_agent(0, {run_of(1, 1)});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).exited; }, 20s));
    EXPECT_EQ(broker.heard(0).code, 1);
    EXPECT_NE(broker.heard(0).said.find("was not reached"), std::string::npos)
        << broker.heard(0).said;
    EXPECT_TRUE(processes_of(broker.marker(0)).empty());
}

}  // namespace
}  // namespace ductile::test::brokerless_test
