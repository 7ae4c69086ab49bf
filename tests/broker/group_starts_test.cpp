#include "broker/group_starts.hpp"

#include <gtest/gtest.h>

#include "broker/local_ranks.hpp"
#include "groups_of_a_job.hpp"

namespace ductile::broker::group_starts_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

const core::Group two_hosts{GroupId{3}, HostIndex{0}, 3, {{HostIndex{2}, 1}}};

GroupState started(const core::Group& group) {
    GroupTable table;
    auto& state = table.add(group);
    const auto numbers = LocalRankAllotment(table, false).allot(group);
    for (std::size_t i = 0; i < numbers.size(); ++i) state.ranks[i].local_rank = numbers[i];
    return state;
}

TEST(GroupStarts, EachHostStartsItsPart) {
    GroupStart start;
    start.input = true;
    start.world = {{HostIndex{0}, "node0", 2}, {HostIndex{2}, "node2", 1}};
    RunsByHost runs;
    add_runs(started(two_hosts), start, {}, runs);
    ASSERT_EQ(runs.size(), 2u);
    const auto& first = runs.at(HostIndex{0}).at(0);
    const auto& second = runs.at(HostIndex{2}).at(0);
    EXPECT_EQ(first.ranks, 2);
    EXPECT_EQ(first.first_rank, 0);
    EXPECT_EQ(second.ranks, 1);
    EXPECT_EQ(second.first_rank, 2);
    EXPECT_EQ(first.local_ranks, (std::vector{Rank{0}, Rank{1}}));
    EXPECT_EQ(second.local_ranks, std::vector{Rank{0}});
    // Only the first host runs the launcher and has rank 0.
    EXPECT_TRUE(first.input);
    EXPECT_FALSE(second.input);
    EXPECT_EQ(first.world.size(), 2u);
    EXPECT_TRUE(second.world.empty());
}

TEST(GroupStarts, AGroupThatRanksStartHasNoFirstPart) {
    GroupStart start;
    start.spawned = start.input = true;
    start.world = {{HostIndex{0}, "node0", 2}};
    RunsByHost runs;
    add_runs(started(two_hosts), start, {}, runs);
    for (const auto& [host, on_host] : runs) {
        EXPECT_TRUE(on_host.at(0).spawned);
        EXPECT_FALSE(on_host.at(0).input);
        EXPECT_TRUE(on_host.at(0).world.empty());
    }
}

TEST(GroupStarts, ALauncherIsToldOfAllHosts) {
    const TestJob job;
    mpi::Capabilities mpi;
    const auto names = [&] {
        std::vector<std::string> all;
        for (const auto& one : launcher_hosts(two_hosts, mpi, job.hosts.allocation))
            all.push_back(one.name);
        return all;
    };
    EXPECT_EQ(names(), (std::vector<std::string>{"node0", "node2"}));
    mpi.spawn_hosts = mpi::SpawnHosts::by_entry;
    EXPECT_EQ(names(), (std::vector<std::string>{"localhost", "ductile-g3p1"}));
    EXPECT_TRUE(launcher_hosts({GroupId{1}, HostIndex{0}, 2}, mpi, job.hosts.allocation).empty());
    mpi.agents_start_ranks = true;
    EXPECT_TRUE(names().empty());
}

TEST(GroupStarts, MpiCommSpawnIsToldOfPartsNotOfHosts) {
    mpi::Capabilities mpi;
    EXPECT_EQ(spawn_hosts(two_hosts, mpi), "240.0.48.0,240.0.48.1");
    mpi.spawn_counts_by_host = true;
    EXPECT_EQ(spawn_hosts(two_hosts, mpi), "240.0.48.0:2,240.0.48.1:1");
    mpi.spawn_hosts = mpi::SpawnHosts::by_entry;
    EXPECT_EQ(spawn_hosts(two_hosts, mpi), "ductile-g3p0:2,ductile-g3p1:1");
    mpi.agents_start_ranks = true;
    EXPECT_EQ(spawn_hosts(two_hosts, mpi), "ductile-g3p0:2") << "whose hosts the broker knows";
}

TEST(GroupStarts, NewcomersAreToldOfTheirResize) {
    const TestJob job;
    wire::RankWelcome common;
    common.job = "job";
    const auto initial = newcomers_welcome(first_start(job), common);
    EXPECT_EQ(initial.job, "job");
    EXPECT_EQ(initial.role, wire::Role::initial);
    EXPECT_EQ(initial.base_ranks, 0);
    const auto newcomer = newcomers_welcome(growth(job, two_hosts), common);
    EXPECT_EQ(newcomer.role, wire::Role::newcomer);
    EXPECT_EQ(newcomer.base_ranks, 4);
    EXPECT_EQ(newcomer.transaction.value, 1);
    EXPECT_EQ(newcomer.secret, "5ec2e7");
    EXPECT_EQ(newcomer.added.size(), 1u);
}

TEST(GroupStarts, EachRankThatStartsOthersIsNamedOnce) {
    resize::ResizePlan plan;
    plan.spawns = {{1, GroupId{0}, Rank{1}, GroupId{1}},
                   {1, GroupId{0}, Rank{0}, GroupId{2}},
                   {2, GroupId{0}, Rank{1}, GroupId{3}},
                   {2, GroupId{1}, Rank{0}, GroupId{4}}};
    EXPECT_EQ(starters_in(GroupId{0}, plan), (std::vector{Rank{0}, Rank{1}}));
    EXPECT_EQ(starters_in(GroupId{1}, plan), std::vector{Rank{0}});
    EXPECT_TRUE(starters_in(GroupId{2}, plan).empty());
}

TEST(GroupStarts, TheSlotsOfAMachineAreThoseOfAllItsHosts) {
    HostsNow hosts;
    hosts.allocation.hosts = {{"a", 2}, {"b", 3, 8}, {"c", 4}};
    EXPECT_EQ(slots_of_machine(HostIndex{0}, hosts), 2);
    EXPECT_EQ(slots_of_machine(HostIndex{1}, hosts), 8) << "children, too";
    hosts.machines = {{HostIndex{0}, HostIndex{0}}, {HostIndex{2}, HostIndex{0}}};
    EXPECT_EQ(slots_of_machine(HostIndex{0}, hosts), 6);
    EXPECT_EQ(slots_of_machine(HostIndex{2}, hosts), 6);
    hosts.one_machine = true;
    EXPECT_EQ(slots_of_machine(HostIndex{2}, hosts), 14);
}

TEST(GroupStarts, LogicalHostsAreOneMachineForMpi) {
    TestJob job;
    const pmi::KvsName name(pmi::RandomBits{0, 1});
    const auto several = served_world(two_hosts, name, job.hosts);
    EXPECT_EQ(several.kvsname, name.text());
    EXPECT_EQ(several.ranks, 3);
    EXPECT_EQ(several.universe, 6);
    EXPECT_EQ(several.mapping, "(vector,(0,1,2),(1,1,1))");
    job.hosts.one_machine = true;
    EXPECT_EQ(served_world(two_hosts, name, job.hosts).mapping, "(vector,(0,1,3))");
    job.hosts.one_machine = false;
    const auto second = two_hosts.elsewhere.front().host;
    job.hosts.machines[second] = two_hosts.host;
    EXPECT_EQ(served_world(two_hosts, name, job.hosts).mapping, "(vector,(0,1,3))") << "two names";
    job.hosts.machines.erase(second);
    const auto unknown = served_world(two_hosts, name, job.hosts);
    EXPECT_TRUE(unknown.mapping_follows && unknown.mapping.empty());
    // More ranks than slots.
    EXPECT_EQ(served_world({GroupId{1}, HostIndex{0}, 9}, name, job.hosts).universe, 9);
}

}  // namespace
}  // namespace ductile::broker::group_starts_test
