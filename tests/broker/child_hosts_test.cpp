#include "broker/child_hosts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "groups_of_a_job.hpp"

namespace ductile::broker::child_hosts_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

plan::SpawnWish spawn(const std::vector<std::pair<int, std::string>>& commands) {
    plan::SpawnWish wish;
    for (const auto& [ranks, host] : commands) {
        plan::SpawnCommand command;
        command.ranks = ranks;
        command.program = {"child" + std::to_string(wish.commands.size())};
        if (!host.empty()) command.info.push_back({"host", host});
        wish.commands.push_back(command);
    }
    return wish;
}

const std::vector<plan::ChildHost> two_hosts{{HostIndex{0}, "node0", 1},
                                             {HostIndex{1}, "node1", 4}};

TEST(ChildHosts, ChildrenGetTheSlotsThatNoLivingRankHas) {
    TestJob job;
    job.change_layout([](auto& layout) {
        layout.active.push_back({GroupId{2}, HostIndex{2}, Rank{0}, 1});
    });
    GroupTable groups;
    groups.add(job.first);
    groups.add({GroupId{2}, HostIndex{2}, 3});
    const auto free = [&] {
        std::vector<std::pair<std::string, int>> all;
        for (const auto& host : child_hosts(groups, job.now()))
            all.emplace_back(host.name, host.free_slots);
        return all;
    };
    using Free = std::vector<std::pair<std::string, int>>;
    EXPECT_EQ(free(), (Free{{"node0", 0}, {"node1", 0}, {"node2", 0}}));
    groups.find({GroupId{0}, Rank{3}})->ended = true;
    EXPECT_EQ(free(), (Free{{"node0", 0}, {"node1", 1}, {"node2", 0}}));
    job.hosts.up.erase(HostIndex{0});
    EXPECT_EQ(free(), (Free{{"node1", 1}, {"node2", 0}}));
}

TEST(ChildHosts, AHostHasRoomUpToItsMaxSlots) {
    TestJob job;
    job.hosts.allocation.hosts[1].max_slots = 5;
    job.hosts.allocation.hosts[2].max_slots = 1;
    GroupTable groups;
    groups.add(job.first);
    groups.add({GroupId{2}, HostIndex{2}, 3});
    std::map<std::string, std::optional<int>> room;
    for (const auto& host : child_hosts(groups, job.now())) room[host.name] = host.room;
    const int living = groups.find(GroupId{0})->living_on(HostIndex{1});
    EXPECT_EQ(room, (std::map<std::string, std::optional<int>>{
                        {"node0", std::nullopt}, {"node1", 5 - living}, {"node2", 0}}));
}

TEST(ChildHosts, IdleHostsComeLast) {
    TestJob job(6);
    GroupTable groups;
    groups.add(job.first);
    groups.add({GroupId{2}, HostIndex{5}, 1});  // processes of another group
    job.hosts.up.erase(HostIndex{3});
    job.hosts.up.erase(HostIndex{4});
    job.hosts.idle = {HostIndex{3}, HostIndex{4}};
    job.hosts.allocation.hosts[4].slots = 0;  // no longer a host of the job
    std::vector<std::pair<std::string, int>> free;
    for (const auto& host : child_hosts(groups, job.now()))
        free.emplace_back(host.name, host.free_slots);
    // The agent on node2, where nothing runs, is about to end.
    EXPECT_EQ(free, (std::vector<std::pair<std::string, int>>{
                        {"node0", 0}, {"node1", 0}, {"node5", 1}, {"node3", 2}}));
}

TEST(ChildHosts, SlotsThatWereGivenBackAreNoChilds) {
    TestJob job;
    auto plan = growth(job, {GroupId{1}, HostIndex{2}, 1});
    plan.given_back = {{HostIndex{2}, 1}};
    job.ledger.commit(plan);
    const auto hosts = child_hosts({}, job.now());
    EXPECT_EQ(hosts.back().name, "node2");
    EXPECT_EQ(hosts.back().free_slots, 1);
}

TEST(ChildHosts, TheirSlotsAreTheirsWhileTheyRun) {
    const TestJob job;
    GroupTable groups;
    groups.add(job.first);
    EXPECT_TRUE(slots_of_children(groups).empty());
    groups.add({GroupId{2}, HostIndex{1}, 3, {{HostIndex{2}, 1}}}).role = GroupRole::child;
    groups.add({GroupId{3}, HostIndex{1}, 1}).role = GroupRole::child;
    EXPECT_EQ(slots_of_children(groups), (core::SlotCounts{{HostIndex{1}, 3}, {HostIndex{2}, 1}}));
    groups.find({GroupId{2}, Rank{2}})->ended = true;
    EXPECT_EQ(slots_of_children(groups), (core::SlotCounts{{HostIndex{1}, 3}}));
}

TEST(ChildHosts, TheyAreAWorldOfTheirOwnAsLongAsThereMayBeMore) {
    JobLedger ledger;
    ledger.use_groups(5), ledger.replace_all(8);
    const auto planned =
        plan_children(HostIndex{0}, spawn({{2, "node1"}, {1, "node0"}}), two_hosts, ledger, 10);
    const core::Group expected{GroupId{5}, HostIndex{1}, 3, {{HostIndex{0}, 1}}};
    EXPECT_EQ(std::get<core::Group>(planned), expected);
    const auto refused = plan_children(HostIndex{0}, spawn({{1, ""}}), two_hosts, ledger, 9);
    EXPECT_EQ(std::get<std::string>(refused),
              "the job has used 8 of the 8 worlds that a process can meet in its life");
    EXPECT_TRUE(std::holds_alternative<core::Group>(
        plan_children(HostIndex{0}, spawn({{1, ""}}), two_hosts, ledger, 0)));
}

TEST(ChildHosts, AResizeLeavesTheirParentAndTheirHost) {
    const TestJob job;
    GroupTable groups;
    groups.add(job.first);
    const auto refused = [&](const core::Layout& after) {
        return refuse_for_children(groups, job.ledger.layout(), after, job.hosts.allocation)
            .value_or("");
    };
    const auto without_last = job.ledger.layout().without({Rank{3}});
    const auto without_node1 = job.ledger.layout().without({Rank{2}, Rank{3}});
    auto& child = groups.add({GroupId{1}, HostIndex{1}, 1});
    EXPECT_EQ(refused(without_node1), "");  // it is no child
    child.role = GroupRole::child;
    child.parent = {GroupId{0}, Rank{0}};
    EXPECT_EQ(refused(without_last), "");
    EXPECT_EQ(refused(without_node1).rfind("host node1 would be given back", 0), 0u);
    child.parent = {GroupId{0}, Rank{3}};
    EXPECT_EQ(refused(without_last).rfind("rank g0.3 would leave", 0), 0u);
    child.over_on.insert(HostIndex{1});
    child.parent = {GroupId{0}, Rank{0}};
    EXPECT_EQ(refused(without_node1), "");
}

}  // namespace
}  // namespace ductile::broker::child_hosts_test
