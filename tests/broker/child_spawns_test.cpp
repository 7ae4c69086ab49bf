#include "broker/child_spawns.hpp"

#include <gtest/gtest.h>

#include "groups_of_a_job.hpp"

namespace ductile::broker::child_spawns_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

wire::SpawnAsked spawn(const std::vector<std::pair<int, std::string>>& commands) {
    wire::SpawnAsked asked;
    for (const auto& [ranks, host] : commands) {
        wire::SpawnCommandFields command;
        command.ranks = ranks;
        command.program = {"child" + std::to_string(asked.commands.size())};
        if (!host.empty()) command.info.push_back({"host", host});
        asked.commands.push_back(command);
    }
    return asked;
}

const std::vector<plan::ChildHost> two_hosts{{HostIndex{0}, "node0", 1},
                                             {HostIndex{1}, "node1", 4}};

TEST(ChildSpawns, ACommandOfItsOwnHostGetsAllItsRanksThere) {
    const auto placed = place_spawn(spawn({{2, "node1"}, {1, "node0"}}), two_hosts, HostIndex{0});
    const auto* shares = std::get_if<std::vector<core::Share>>(&placed);
    ASSERT_NE(shares, nullptr) << std::get<std::string>(placed);
    EXPECT_EQ(*shares, (std::vector<core::Share>{{HostIndex{1}, 2}, {HostIndex{0}, 1}}));
}

TEST(ChildSpawns, EachCommandIsPlacedAsItsInfoSays) {
    using Shares = std::vector<core::Share>;
    const struct {
        std::vector<std::pair<int, std::string>> commands;
        Shares shares;
    } table[] = {
        {{{1, "node1"}, {2, "node1"}}, {{HostIndex{1}, 3}}},
        {{{1, "node1"}, {1, ""}}, {{HostIndex{1}, 2}}},
        {{{3, "node1"}, {2, ""}}, {{HostIndex{1}, 4}, {HostIndex{0}, 1}}},
        {{{1, ""}, {1, "node1"}}, {{HostIndex{0}, 1}, {HostIndex{1}, 1}}},
        {{{1, "node0:2"}, {2, "node1"}}, {{HostIndex{0}, 1}, {HostIndex{1}, 2}}},
        {{{2, ""}, {4, ""}}, {{HostIndex{0}, 1}, {HostIndex{1}, 5}}},
        {{{0, "node0"}, {1, "node1"}}, {{HostIndex{1}, 1}}},
    };
    for (const auto& row : table) {
        const auto placed = place_spawn(spawn(row.commands), two_hosts, HostIndex{0});
        const auto* shares = std::get_if<Shares>(&placed);
        ASSERT_NE(shares, nullptr) << std::get<std::string>(placed);
        EXPECT_EQ(*shares, row.shares) << row.commands.front().second;
    }
}

TEST(ChildSpawns, WhatCannotBePlacedIsRefused) {
    EXPECT_EQ(std::get<std::string>(place_spawn(spawn({{1, "node0"}, {1, "node1"}, {1, "node0"}}),
                                                two_hosts, HostIndex{0})),
              "host node0 would get ranks that do not follow each other: name it in commands that "
              "do");
    EXPECT_EQ(std::get<std::string>(place_spawn(spawn({{1, "node0:x"}}), two_hosts, HostIndex{0})),
              "info key host: 'node0:x' is no list of NAME or NAME:COUNT");
    EXPECT_EQ(std::get<std::string>(place_spawn(spawn({{0, ""}}), two_hosts, HostIndex{0})),
              "it asks for no process");
    EXPECT_TRUE(std::holds_alternative<std::string>(
        place_spawn(spawn({{1, "elsewhere"}}), two_hosts, HostIndex{0})));
}

/// The ranks of each command, or why not.
struct Fitted {
    std::vector<int> ranks;
    std::string why;
    bool operator==(const Fitted&) const = default;
};

/// Each command: ranks, host, soft. "-": it has none.
Fitted fitted(const std::vector<std::tuple<int, std::string, std::string>>& commands) {
    wire::SpawnAsked asked;
    for (const auto& [ranks, host, soft] : commands) {
        auto one = spawn({{ranks, host}}).commands.front();
        if (soft != "-") one.info.push_back({"soft", soft});
        asked.commands.push_back(one);
    }
    const auto result = fit_to_slots(asked, two_hosts);
    if (const auto* why = std::get_if<std::string>(&result)) return {{}, *why};
    Fitted fits;
    for (const auto& one : std::get<wire::SpawnAsked>(result).commands)
        fits.ranks.push_back(one.ranks);
    return fits;
}

TEST(ChildSpawns, SoftOnesTakeFreeSlotsAlone) {
    EXPECT_EQ(fitted({{9, "", "-"}}), (Fitted{{9}, ""})) << "the key is not there";
    EXPECT_EQ(fitted({{9, "", "1:9"}}), (Fitted{{5}, ""}));
    EXPECT_EQ(fitted({{3, "", "1:9"}}), (Fitted{{3}, ""})) << "never more than asked for";
    EXPECT_EQ(fitted({{9, "", "2,4,8"}}), (Fitted{{4}, ""}));
    EXPECT_EQ(fitted({{9, "node1", "1:9"}}), (Fitted{{4}, ""}));
    EXPECT_EQ(fitted({{9, "node1:3,node0", "1:9"}}), (Fitted{{4}, ""}));
    EXPECT_EQ(fitted({{9, "", "0:4:2"}, {9, "", "0:9"}}), (Fitted{{4, 1}, ""}));
    EXPECT_EQ(fitted({{9, "", "0:9"}, {4, "", "-"}}), (Fitted{{1, 4}, ""})) << "it must have its 4";
    EXPECT_EQ(fitted({{9, "", "0:9"}, {9, "", "-"}}), (Fitted{{0, 9}, ""}));
    EXPECT_EQ(fitted({{2, "elsewhere", "1:2"}}), (Fitted{{2}, ""})) << "which is refused later";
}

TEST(ChildSpawns, SoftOnesThatFitNowhereAreRefused) {
    EXPECT_EQ(fitted({{9, "", "6:9"}}).why,
              "info key soft: '6:9' has no number up to 5: 9 ranks asked for at most, and 5 slots "
              "free");
    EXPECT_EQ(fitted({{1, "", "2,3"}}).why,
              "info key soft: '2,3' has no number up to 1: 1 rank asked for at most, and 5 slots "
              "free");
    EXPECT_EQ(fitted({{3, "", "-4"}}).why.rfind("info key soft: '-4' has no number", 0), 0u);
    EXPECT_EQ(fitted({{3, "", "3:1"}}).why.rfind("info key soft: '3:1' is no number", 0), 0u);
    EXPECT_EQ(fitted({{3, "", ""}}).why.rfind("info key soft: '' is no number", 0), 0u);
    EXPECT_EQ(fitted({{3, "", "0,8"}}).why,
              "info key soft: the free slots allow to start no process");
}

TEST(ChildSpawns, EachPartOfAGroupKnowsItsPrograms) {
    const auto asked = spawn({{2, ""}, {3, ""}});
    const auto first = programs_of_spawn(asked, 0, 3);
    ASSERT_EQ(first.size(), 2u);
    EXPECT_EQ(first[0].ranks, 2);
    EXPECT_EQ(first[1].ranks, 1);
    EXPECT_EQ(first[1].program, std::vector<std::string>{"child1"});
    const auto second = programs_of_spawn(asked, 3, 2);
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(second[0].appnum, 1);
    EXPECT_EQ(second[0].ranks, 2);
}

TEST(ChildSpawns, ChildrenGetTheSlotsThatNoLivingRankHas) {
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

TEST(ChildSpawns, IdleHostsComeLast) {
    TestJob job(6);
    GroupTable groups;
    groups.add(job.first);
    groups.add({GroupId{2}, HostIndex{5}, 1});  // others run there
    job.hosts.up.erase(HostIndex{3});
    job.hosts.up.erase(HostIndex{4});
    job.hosts.idle = {HostIndex{3}, HostIndex{4}};
    job.hosts.allocation.hosts[4].slots = 0;  // not the job's for long
    std::vector<std::pair<std::string, int>> free;
    for (const auto& host : child_hosts(groups, job.now()))
        free.emplace_back(host.name, host.free_slots);
    // The agent on node2, where nothing runs, is about to end.
    EXPECT_EQ(free, (std::vector<std::pair<std::string, int>>{
                        {"node0", 0}, {"node1", 0}, {"node5", 1}, {"node3", 2}}));
}

TEST(ChildSpawns, SlotsThatWereGivenBackAreNoChilds) {
    TestJob job;
    auto plan = growth(job, {GroupId{1}, HostIndex{2}, 1});
    plan.given_back = {{HostIndex{2}, 1}};
    job.ledger.commit(plan);
    const auto hosts = child_hosts({}, job.now());
    EXPECT_EQ(hosts.back().name, "node2");
    EXPECT_EQ(hosts.back().free_slots, 1);
}

TEST(ChildSpawns, TheirSlotsAreTheirsWhileTheyRun) {
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

TEST(ChildSpawns, TheyAreAWorldOfTheirOwnAsLongAsThereMayBeMore) {
    JobLedger ledger;
    ledger.use_groups(5), ledger.replace_all(8);
    const auto planned =
        plan_children(HostIndex{0}, spawn({{2, "node1"}, {1, "node0"}}), two_hosts, ledger, 10);
    const core::Group expected{GroupId{5}, HostIndex{1}, 3, {{HostIndex{0}, 1}}};
    EXPECT_EQ(std::get<core::Group>(planned), expected);
    const auto refused = plan_children(HostIndex{0}, spawn({{1, ""}}), two_hosts, ledger, 9);
    EXPECT_EQ(std::get<std::string>(refused),
              "the job has used 8 of the 9 worlds that a process can meet in its life");
    EXPECT_TRUE(std::holds_alternative<core::Group>(
        plan_children(HostIndex{0}, spawn({{1, ""}}), two_hosts, ledger, 0)));
}

TEST(ChildSpawns, TheGroupOfAResizeIsNamedByItsFirstHost) {
    auto asked = spawn({{2, ""}});
    EXPECT_FALSE(group_named(asked));
    asked.commands[0].info = {{"wdir", "/"}, {"hosts", "240.0.16.0:1,240.0.16.1:1"}};
    EXPECT_EQ(group_named(asked), GroupId{1});
    asked.commands[0].info = {{"hosts", "node1"}};
    EXPECT_FALSE(group_named(asked));
}

TEST(ChildSpawns, AResizeLeavesTheirParentAndTheirHost) {
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

TEST(ChildSpawns, EachCallerIsAnsweredOnce) {
    ChildSpawns spawns;
    spawns.add(GroupId{3}, {HostIndex{1}, {GroupId{0}, Rank{2}}, {}});
    EXPECT_TRUE(spawns.contains(GroupId{3}));
    EXPECT_EQ(spawns.take(GroupId{3})->host, HostIndex{1});
    EXPECT_FALSE(spawns.take(GroupId{3}));
}

}  // namespace
}  // namespace ductile::broker::child_spawns_test
