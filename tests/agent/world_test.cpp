// A group over several hosts has one launcher, which starts daemons on the other hosts through
// their agents. (The second host is this machine under a name that the launcher does not know.)
#include <csignal>

#include "agent_test.hpp"

namespace ductile::test::world_test {
namespace {

using core::HostIndex;

constexpr auto far = "far.invalid";

/// Ranks 0 and 1 on host 0, rank 2 on host 1.
void start_world(FakeBroker& broker, std::vector<std::string> program) {
    broker.welcome.program = std::move(program);
    auto first = run_of(1, 2);
    first.world = {{HostIndex{0}, "localhost", 2}, {HostIndex{1}, far, 1}};
    auto further = run_of(1, 1);
    further.first_rank = 2;
    broker.start_agent(0, {first});
    broker.start_agent(1, {further});
    ASSERT_TRUE(broker.run_until([&] {
        return broker.heard(1).control && !broker.heard(0).all<wire::ProxyWanted>().empty();
    }));
    const auto wanted = broker.heard(0).all<wire::ProxyWanted>()[0];
    EXPECT_EQ(wanted.starts, wanted.group);
    EXPECT_EQ(wanted.part, 1);
    ASSERT_FALSE(wanted.argv.empty());
    EXPECT_EQ(wanted.argv[0].find('"'), std::string::npos) << wanted.argv[0];
    broker.send(1, wire::StartProxy{wanted.group, wanted.argv});
}

void pass_on_end(FakeBroker& broker) {
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 1); }));
    const auto end = broker.heard(1).all<wire::RunEnded>()[0];
    broker.send(0, wire::ProxyEnded{end.group, end.group, 1, end.code});
}

void finish_both(FakeBroker& broker) {
    broker.send(1, wire::FinishAgent{});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(1).exited; }));
    EXPECT_EQ(broker.heard(1).code, 0) << broker.heard(1).said;
    EXPECT_TRUE(processes_of(broker.marker(1)).empty());
    finish(broker, 0);
}

TEST(World, IsOneForAllHostsAndEachRankHasItsOwnAgent) {
    FakeBroker broker;
    start_world(broker, {"/bin/sh", "-c", "echo rank $PMIX_RANK"});
    pass_on_end(broker);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    EXPECT_EQ(broker.heard(0).all<wire::RunEnded>()[0].code, 0);
    EXPECT_EQ(broker.heard(0).all<wire::RankEnded>().size(), 2u);
    const auto ends = broker.heard(1).all<wire::RankEnded>();
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].rank, core::Rank{2});
    finish_both(broker);
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "rank 0\n");
    EXPECT_EQ(broker.heard(0).output["1.1.1"], "rank 1\n");
    EXPECT_EQ(broker.heard(1).output["1.2.1"], "rank 2\n");
}

TEST(World, MessagesFindARankByItsNumberInTheWorld) {
    FakeBroker broker;
    start_world(broker, program({"hello", "await-lost"}));
    broker.send(1, wire::ToRanks{ranks(1, 2, 2), wire::BrokerLost{}});
    broker.send(0, wire::ToRanks{ranks(1, 0, 2), wire::BrokerLost{}});
    pass_on_end(broker);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish_both(broker);
    EXPECT_EQ(broker.heard(1).output["1.2.1"], "broker lost\n");
    EXPECT_EQ(broker.heard(0).output["1.0.1"], "broker lost\n");
}

TEST(World, OutlivesTheRanksOfTheFirstHost) {
    FakeBroker broker;
    start_world(broker, {"/bin/sh", "-c", "[ $PMIX_RANK != 2 ] || sleep 4"});
    ASSERT_TRUE(
        broker.run_until([&] { return broker.heard(0).all<wire::RankEnded>().size() == 2; }));
    broker.run_for(3s);
    EXPECT_FALSE(run_ended(broker, 0)) << "the launcher was ended under the rank of another host";
    pass_on_end(broker);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    EXPECT_EQ(broker.heard(1).all<wire::RankEnded>()[0].code, 0);
    finish_both(broker);
}

TEST(World, DaemonThatDiesIsReportedByItsHost) {
    FakeBroker broker;
    start_world(broker, program({"hello", "say", "up", "1", "sleep", "100000"}));
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(1).output.size() == 1; }));
    kill_process_named(broker.marker(1), "test_launcher", SIGKILL);
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 1); }, 4s));
    EXPECT_EQ(broker.heard(1).all<wire::RankEnded>()[0].signal, SIGKILL);
    EXPECT_TRUE(processes_of(broker.marker(1)).empty());
    broker.send(0, wire::EndJob{"a daemon died"}), broker.send(1, wire::EndJob{"a daemon died"});
    for (const int host : {0, 1})
        ASSERT_TRUE(broker.run_until([&] { return broker.heard(host).exited; }, 5s));
    EXPECT_TRUE(processes_of(broker.marker(0)).empty());
}

TEST(World, EndsWithoutABroker) {
    FakeBroker broker;
    broker.welcome.orphan_limit_s = 20;
    start_world(broker, program({"hello", "await-lost", "goodbye"}));
    ASSERT_TRUE(broker.run_until([&] {
        return broker.heard(0).all<wire::FromRanks>().size() == 2 &&
               broker.heard(1).all<wire::FromRanks>().size() == 1;
    }));
    broker.die();
    for (const int host : {0, 1})
        ASSERT_TRUE(broker.run_until([&] { return broker.heard(host).exited; }, 15s));
    EXPECT_TRUE(processes_of(broker.marker(0)).empty());
    EXPECT_TRUE(processes_of(broker.marker(1)).empty());
}

TEST(World, PartThatWasNotAskedForIsKilled) {
    FakeBroker broker;
    broker.welcome.program = {"/bin/true"};
    auto further = run_of(1, 1);
    further.first_rank = 2;
    broker.start_agent(0, {further});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(0).control; }));
    broker.send(0, wire::StartProxy{core::GroupId{7}, {"/bin/true"}});
    broker.send(0, wire::KillRun{core::GroupId{1}});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    finish(broker, 0);
}

// The launcher asks for a host that its group does not use. It fails, and the user is told why.
TEST(World, GroupOnOneHostReachesNoOther) {
    FakeBroker broker;
    broker.welcome.program = {"/bin/true"};
    broker.welcome.launcher.insert(broker.welcome.launcher.end(), {"--also", far});
    broker.start_agent(0, {run_of(1, 2)});
    ASSERT_TRUE(broker.run_until([&] { return run_ended(broker, 0); }));
    EXPECT_NE(broker.heard(0).all<wire::RunEnded>()[0].code, 0);
    bool told = false;
    for (const auto& notice : broker.heard(0).all<wire::Notice>())
        told = told || notice.text.find(far) != std::string::npos;
    EXPECT_TRUE(told);
    finish(broker, 0);
}

}  // namespace
}  // namespace ductile::test::world_test
