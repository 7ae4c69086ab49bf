#include "broker/job_groups.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "groups_of_a_job.hpp"

namespace ductile::broker {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

const core::Group newcomers{GroupId{1}, HostIndex{1}, 2, {{HostIndex{2}, 1}}};

/// The groups of TestJob, which runs.
struct JobGroupsTest : testing::Test {
    explicit JobGroupsTest(const mpi::Capabilities& mpi = served_by_agents())
        : groups(groups_with(mpi)) {
        groups.start(first_start(job), true, job.hosts);
        groups.make_members({GroupId{0}});
    }
    /// Resize 1 has begun; ranks start its group where `spawned`.
    RunsByHost grow(bool spawned) {
        auto plan = growth(job, newcomers);
        if (spawned) plan.spawns = {{1, GroupId{0}, Rank{0}, GroupId{1}}};
        job.open.emplace(plan);
        resize::Effects effects;
        job.open->on(resize::Begin{}, effects);
        job.open->on(resize::Recorded{}, effects);
        return groups.start(plan, true, job.hosts);
    }
    GroupEffects host_lost(int host, JobGroups::Loss expected) {
        GroupEffects effects;
        EXPECT_EQ(groups.on_host_lost(HostIndex{host}, job.now(), effects), expected);
        return effects;
    }
    GroupEffects host_up(int host) const {
        GroupEffects effects;
        groups.on_host_up(HostIndex{host}, effects);
        return effects;
    }
    template <class Message>
    GroupEffects pmi(int host, const Message& message) {
        GroupEffects effects;
        groups.on_pmi(HostIndex{host}, message, effects);
        return effects;
    }
    GroupEffects rank_ended(int group, int rank, int signal = 0) {
        groups.rank({GroupId{group}, Rank{rank}})->ended = true;
        GroupEffects effects;
        groups.on_rank_ended({GroupId{group}, Rank{rank}, 0, signal, true, false, ""}, job.now(),
                             effects);
        return effects;
    }
    GroupEffects part_ended(int group, int host, int code = 0) {
        GroupEffects effects;
        groups.on_part_ended(HostIndex{host}, {GroupId{group}, code, 0, ""}, job.now(), effects);
        return effects;
    }
    /// g0.1 on node0 calls MPI_Comm_spawn for so many processes.
    GroupEffects spawn(int ranks, const std::string& host = "", const char* key = "host") {
        wire::SpawnAsked asked;
        asked.group = GroupId{0};
        asked.rank = Rank{1};
        asked.commands.emplace_back();
        asked.commands.back().ranks = ranks;
        asked.commands.back().program = {"child"};
        if (!host.empty()) asked.commands.back().info.push_back({key, host});
        asked.keys = {{"PARENT_ROOT_PORT_NAME", "port"}};
        GroupEffects effects;
        groups.on_spawn_asked(HostIndex{0}, asked, job.now(), effects);
        return effects;
    }
    [[nodiscard]] const GroupState* state(int group) const {
        return groups.table().find(GroupId{group});
    }
    TestJob job;
    JobGroups groups;
};

/// Under an mpiexec on the first host of each group.
struct LaunchedGroups : JobGroupsTest {
    LaunchedGroups() : JobGroupsTest({}) {}
};

// ---- start ----

TEST_F(JobGroupsTest, EachHostOfAStartServesItsPartOfOneWorld) {
    const auto runs = grow(false);
    ASSERT_EQ(runs.size(), 2u);
    const auto& first = runs.at(HostIndex{1}).at(0);
    const auto& second = runs.at(HostIndex{2}).at(0);
    EXPECT_EQ(first.ranks, 1);
    EXPECT_EQ(second.first_rank, 1);
    const auto& world = std::get<wire::ServedWorld>(first.manager);
    EXPECT_EQ(world.kvsname, std::get<wire::ServedWorld>(second.manager).kvsname);
    EXPECT_EQ(world.ranks, 2);
    const auto& welcome = std::get<wire::RankWelcome>(first.welcome);
    EXPECT_EQ(welcome.job, "job");
    EXPECT_EQ(welcome.vote_s, 7);
    EXPECT_EQ(welcome.role, wire::Role::newcomer);
    EXPECT_FALSE(first.spawned);
    EXPECT_FALSE(first.input);  // the job has its reader already
    EXPECT_EQ(state(1)->role, GroupRole::newcomer);
}

TEST_F(JobGroupsTest, OnlyTheJobsFirstRankReadsStandardInput) {
    for (const bool input : {false, true}) {
        auto other = groups_with(served_by_agents());
        const auto runs = other.start(first_start(job), input, job.hosts);
        EXPECT_EQ(runs.at(HostIndex{0}).at(0).input, input);
        EXPECT_FALSE(runs.at(HostIndex{1}).at(0).input);
    }
}

TEST_F(LaunchedGroups, AGroupBelongsToTheMpiexecOfWhoStartsIt) {
    const auto runs = grow(true);
    EXPECT_EQ(state(1)->carrier, GroupId{0});
    EXPECT_EQ(state(0)->carrier, GroupId{0});
    const auto& run = runs.at(HostIndex{2}).at(0);
    EXPECT_TRUE(run.spawned);
    EXPECT_TRUE(std::holds_alternative<wire::ByLauncher>(run.manager));
}

TEST_F(LaunchedGroups, OfAGroupThatNobodyStartsMpiexecIsToldAllHosts) {
    const auto runs = grow(false);
    EXPECT_EQ(state(1)->carrier, GroupId{1});
    EXPECT_EQ(runs.at(HostIndex{1}).at(0).world.size(), 2u);
    EXPECT_TRUE(runs.at(HostIndex{2}).at(0).world.empty());
}

TEST_F(JobGroupsTest, AGroupIsReleasedAndKilledOnEachOfItsHosts) {
    grow(true);
    GroupEffects effects;
    groups.release({GroupId{1}, {{"key", "value"}}}, effects);
    ASSERT_EQ(words(effects), (Words{"1:start_ranks", "2:start_ranks"}));
    EXPECT_EQ(order_at<wire::StartRanks>(effects, 0).keys.at(0).value, "value");
    part_ended(1, 1);
    effects.clear();
    groups.kill({GroupId{1}, true}, effects);
    EXPECT_EQ(words(effects), Words{"2:kill_run"});
    EXPECT_EQ(state(1)->role, GroupRole::undone);
    effects.clear();
    groups.release({GroupId{9}, {}}, effects);
    groups.kill({GroupId{9}, true}, effects);
    EXPECT_TRUE(effects.empty());
}

TEST_F(JobGroupsTest, AnAgentThatComesLateHearsWhatWasGivenUp) {
    grow(true);
    EXPECT_TRUE(host_up(2).empty());
    GroupEffects effects;
    groups.kill({GroupId{1}, true}, effects);
    EXPECT_EQ(words(host_up(2)), Words{"2:kill_run"});
    EXPECT_TRUE(host_up(0).empty());
}

TEST_F(LaunchedGroups, AnAgentThatComesLateStartsItsProxy) {
    job.hosts.up.erase(HostIndex{1});
    GroupEffects effects;
    groups.on_proxy_wanted(HostIndex{0}, {GroupId{0}, GroupId{0}, 1, {"proxy"}}, job.hosts.up,
                           effects);
    EXPECT_TRUE(effects.empty());
    EXPECT_EQ(words(host_up(1)), Words{"1:start_proxy"});
}

TEST_F(LaunchedGroups, AProxyForAnUnknownGroupHasEnded) {
    GroupEffects effects;
    groups.on_proxy_wanted(HostIndex{0}, {GroupId{0}, GroupId{9}, 0, {"proxy"}}, job.hosts.up,
                           effects);
    EXPECT_EQ(words(effects), Words{"0:proxy_ended"});
}

// ---- PMI ----

TEST_F(JobGroupsTest, ABarrierGoesBackToAllHosts) {
    EXPECT_TRUE(pmi(0, wire::BarrierReached{GroupId{0}, 0, {}}).empty());
    EXPECT_EQ(words(pmi(1, wire::BarrierReached{GroupId{0}, 0, {}})),
              (Words{"0:barrier_released", "1:barrier_released"}));
}

TEST_F(JobGroupsTest, AGateOpensWhenAllHostsHaveReachedIt) {
    grow(true);
    EXPECT_TRUE(pmi(1, wire::GateReached{GroupId{1}}).empty());
    EXPECT_EQ(words(pmi(2, wire::GateReached{GroupId{1}})),
              (Words{"1:open_gate", "2:open_gate", "gate reached"}));
}

TEST_F(JobGroupsTest, ARankThatEndsBeforeTheGateLosesIt) {
    grow(true);
    const auto effects = pmi(2, wire::GateLost{GroupId{1}, Rank{1}});
    ASSERT_EQ(words(effects), Words{"gate lost"});
    EXPECT_EQ(event_at<resize::GateLost>(effects, 0).group, GroupId{1});
}

// ---- MPI_Comm_spawn ----

TEST_F(JobGroupsTest, ASpawnForAResizeIsItsOwn) {
    grow(true);
    const auto effects = spawn(2, "240.0.16.0:1,240.0.16.1:1", "hosts");
    ASSERT_EQ(words(effects), Words{"spawn asked"});
    const auto& asked = event_at<resize::SpawnAsked>(effects, 0);
    EXPECT_EQ(asked.starts, GroupId{1});
    EXPECT_EQ(asked.caller, (core::Process{GroupId{0}, Rank{1}}));
    EXPECT_EQ(asked.port, "port");
}

TEST_F(JobGroupsTest, ASpawnForAResizeThatIsOverFails) {
    const auto effects = spawn(2, "240.0.16.0:2", "hosts");
    ASSERT_EQ(words(effects), Words{"0:spawn_answer"});
    EXPECT_FALSE(order_at<wire::SpawnAnswer>(effects, 0).ok);
}

TEST_F(JobGroupsTest, ASpawnThatCannotBePlacedFails) {
    const auto effects = spawn(1, "elsewhere");
    ASSERT_EQ(words(effects), (Words{"0:spawn_answer", "notify"}));
    EXPECT_FALSE(order_at<wire::SpawnAnswer>(effects, 0).ok);
    const auto& text = std::get<NotifyUser>(effects[1]).text;
    EXPECT_EQ(text.rfind("MPI_Comm_spawn by rank g0.1 fails: ", 0), 0u) << text;
    EXPECT_EQ(groups.table().all().size(), 1u);
}

TEST_F(JobGroupsTest, ChildrenAreInTheJournalBeforeTheyStart) {
    const auto effects = spawn(2, "node1:1,node0:1", "hosts");
    ASSERT_EQ(words(effects), (Words{"children begin", "1:start_run", "1:start_ranks",
                                     "0:start_run", "0:start_ranks"}));
    const auto& run = order_at<wire::StartRun>(effects, 3);
    EXPECT_EQ(run.group, GroupId{1});
    EXPECT_EQ(run.first_rank, 1);
    EXPECT_TRUE(run.spawned);
    EXPECT_EQ(run.children.at(0).program, std::vector<std::string>{"child"});
    EXPECT_EQ(order_at<wire::StartRanks>(effects, 4).keys.at(0).value, "port");
    EXPECT_EQ(state(1)->role, GroupRole::child);
    EXPECT_EQ(state(1)->parent, (core::Process{GroupId{0}, Rank{1}}));
}

TEST_F(JobGroupsTest, TheCallerIsAnsweredWhenAllChildrenRun) {
    spawn(1, "node1");
    const auto effects = pmi(1, wire::GateReached{GroupId{1}});
    ASSERT_EQ(words(effects), (Words{"1:open_gate", "0:spawn_answer", "gate reached"}));
    EXPECT_TRUE(order_at<wire::SpawnAnswer>(effects, 1).ok);
}

TEST_F(JobGroupsTest, ChildrenThatEndTooEarlyFailTheSpawn) {
    spawn(1, "node1");
    EXPECT_EQ(words(rank_ended(1, 0)), (Words{"notify", "1:kill_run"}));
    const auto effects = part_ended(1, 1);
    ASSERT_EQ(words(effects), (Words{"0:spawn_answer", "group gone", "part end"}));
    EXPECT_FALSE(order_at<wire::SpawnAnswer>(effects, 0).ok);
    EXPECT_FALSE(std::get<PartEnd>(effects[2]).needed);
    EXPECT_EQ(state(1), nullptr);
}

TEST_F(JobGroupsTest, AGateThatChildrenLoseFailsTheSpawn) {
    spawn(1, "node1");
    EXPECT_EQ(words(pmi(1, wire::GateLost{GroupId{1}, Rank{0}})),
              (Words{"1:kill_run", "0:spawn_answer", "gate lost"}));
    EXPECT_EQ(state(1)->role, GroupRole::undone);
}

TEST_F(JobGroupsTest, AChildThatRunsIsJudgedAsAnyRank) {
    spawn(1, "node1");
    pmi(1, wire::GateReached{GroupId{1}});
    EXPECT_EQ(words(rank_ended(1, 0)), (Words{"rank end", "process ended"}));
}

// ---- ends ----

TEST_F(JobGroupsTest, TheEndOfAMemberIsJudgedBeforeTheResizeHearsOfIt) {
    grow(false);
    const auto effects = rank_ended(0, 2, SIGKILL);
    ASSERT_EQ(words(effects), (Words{"rank end", "process ended"}));
    EXPECT_EQ(std::get<RankEnd>(effects[0]).who, "rank g0.2 on node1");
    const auto& ended = event_at<resize::ProcessEnded>(effects, 1);
    EXPECT_EQ(ended.process, (core::Process{GroupId{0}, Rank{2}}));
    EXPECT_EQ(ended.code, 128 + SIGKILL);
}

TEST_F(JobGroupsTest, TheEndOfANewcomerIsTheResizesAlone) {
    grow(false);
    EXPECT_EQ(words(rank_ended(1, 0)), Words{"process ended"});
    const auto effects = part_ended(1, 2, 3);
    ASSERT_EQ(words(effects), Words{"newcomer lost"});
    EXPECT_EQ(event_at<resize::NewcomerLost>(effects, 0).why,
              "the part of group g1 on node2 has ended");
    EXPECT_EQ(event_at<resize::NewcomerLost>(effects, 0).code, 3);
}

TEST_F(JobGroupsTest, WhatWasUndoneMayEnd) {
    grow(false);
    GroupEffects effects;
    groups.kill({GroupId{1}, true}, effects);
    job.open.reset();
    EXPECT_EQ(words(rank_ended(1, 0, SIGKILL)), Words{"process ended"});
    EXPECT_FALSE(std::get<PartEnd>(part_ended(1, 1).at(0)).needed);
}

TEST_F(JobGroupsTest, AGroupIsGoneWithItsLastPart) {
    EXPECT_EQ(words(part_ended(0, 0)), Words{"part end"});
    EXPECT_TRUE(part_ended(0, 0).empty());  // twice
    EXPECT_EQ(words(part_ended(0, 1)), (Words{"group gone", "part end"}));
    EXPECT_TRUE(groups.table().all().empty());
    EXPECT_TRUE(part_ended(0, 1).empty());
}

TEST_F(LaunchedGroups, WithMpiexecItsProxiesEnd) {
    for (int rank = 0; rank < 4; ++rank) rank_ended(0, rank);
    EXPECT_EQ(words(part_ended(0, 0)), (Words{"1:kill_run", "part end"}));
    EXPECT_EQ(words(part_ended(0, 1)), (Words{"group gone", "part end"}));
}

TEST_F(LaunchedGroups, MpiexecHearsOfAProxyWhoseRanksHaveEnded) {
    EXPECT_EQ(words(part_ended(0, 0)), Words{"part end"});  // mpiexec has died under its ranks
    for (int rank = 0; rank < 4; ++rank) rank_ended(0, rank);
    EXPECT_EQ(words(part_ended(0, 1)), (Words{"group gone", "part end"}));
    groups.start(first_start(job), true, job.hosts);
    for (int rank = 2; rank < 4; ++rank) rank_ended(0, rank);
    const auto effects = part_ended(0, 1, 4);
    ASSERT_EQ(words(effects), (Words{"0:proxy_ended", "part end"}));
    EXPECT_EQ(order_at<wire::ProxyEnded>(effects, 0).code, 4);
}

TEST_F(LaunchedGroups, MpiexecHearsOfTheProxiesOfGroupsThatItsRanksStart) {
    grow(true);
    EXPECT_EQ(words(part_ended(1, 2)), (Words{"0:proxy_ended", "newcomer lost"}));
}

TEST_F(JobGroupsTest, WithAHostTheJobLosesMembersOrNewcomers) {
    grow(true);
    EXPECT_EQ(words(host_lost(2, JobGroups::Loss::newcomers)), Words{"gate lost"});
    EXPECT_TRUE(host_lost(2, JobGroups::Loss::none).empty());
    EXPECT_EQ(words(host_lost(1, JobGroups::Loss::members)), Words{"group gone"});
}

TEST_F(JobGroupsTest, WithAHostThatRanksHaveLeftNothingIsLost) {
    job.ledger.layout.active.pop_back();
    EXPECT_TRUE(host_lost(1, JobGroups::Loss::none).empty());
    // The ranks on the other host meet in their barriers without it.
    EXPECT_EQ(words(pmi(0, wire::BarrierReached{GroupId{0}, 0, {}})), Words{"0:barrier_released"});
}

TEST_F(JobGroupsTest, ChildrenOnALostHostFailTheirSpawn) {
    spawn(1, "node1");
    EXPECT_EQ(words(host_lost(1, JobGroups::Loss::members)),
              (Words{"0:spawn_answer", "group gone"}));
}

TEST_F(LaunchedGroups, MpiexecDoesNotWaitForProxiesOnALostHost) {
    grow(true);
    const auto effects = host_lost(2, JobGroups::Loss::newcomers);
    ASSERT_EQ(words(effects), Words{"0:proxy_ended"});
    EXPECT_EQ(order_at<wire::ProxyEnded>(effects, 0).starts, GroupId{1});
    EXPECT_EQ(order_at<wire::ProxyEnded>(effects, 0).part, 1);
}

// ---- another broker's job ----

/// What a broker knew that has died while g1 was added.
Snapshot known_of(const TestJob& job) {
    Snapshot known;
    known.stage = Stage::running;
    known.layout = job.ledger.layout;
    known.groups = {{job.first, GroupId{0}, GroupRole::member}};
    known.open.emplace(growth(job, newcomers));
    for (int i = 0; i < 3; ++i) known.agents.push_back({HostIndex{i}, core::Generation{i + 1}});
    known.next_group = 2;
    known.next_transaction = 2;
    return known;
}

wire::GroupStock stock_of(int group, int first, int ranks) {
    wire::GroupStock stock;
    stock.group = GroupId{group};
    stock.first_rank = first;
    stock.ranks.resize(static_cast<std::size_t>(ranks));
    return stock;
}

struct TakenOverGroups : testing::Test {
    GroupEffects recover() {
        groups.restore(found.known().groups, job.hosts);
        GroupEffects effects;
        groups.recover(found, effects);
        return effects;
    }
    TestJob job;
    JobGroups groups = groups_with(served_by_agents());
    RecoverySession found{known_of(job)};
};

TEST_F(TakenOverGroups, WhatRunsIsKnownAgain) {
    auto stock = stock_of(0, 2, 2);
    stock.ranks[1].hello = stock.ranks[1].goodbye = true;
    found.stock(HostIndex{0}, {{stock_of(0, 0, 2)}, {}});
    found.stock(HostIndex{1}, {{stock, stock_of(1, 0, 1)}, {}});
    found.stock(HostIndex{2}, {{stock_of(1, 1, 1)}, {}});
    EXPECT_TRUE(recover().empty());
    EXPECT_FALSE(groups.rank({GroupId{0}, Rank{2}})->goodbye);
    EXPECT_TRUE(groups.rank({GroupId{0}, Rank{3}})->goodbye);
    EXPECT_EQ(groups.table().find(GroupId{1})->role, GroupRole::newcomer);
    GroupEffects effects;
    groups.on_pmi(HostIndex{0}, wire::BarrierReached{GroupId{0}, 0, {}}, effects);
    groups.on_pmi(HostIndex{1}, wire::BarrierReached{GroupId{0}, 0, {}}, effects);
    EXPECT_EQ(effects.size(), 2u);
}

TEST_F(TakenOverGroups, WhatNobodyKnowsIsKilled) {
    auto over = stock_of(8, 0, 1);
    over.ended = true;
    found.stock(HostIndex{0}, {{stock_of(0, 0, 2), stock_of(7, 0, 1), over}, {}});
    found.stock(HostIndex{1}, {{stock_of(0, 2, 2), stock_of(1, 0, 1)}, {}});
    found.stock(HostIndex{2}, {{stock_of(1, 1, 1)}, {}});
    const auto effects = recover();
    ASSERT_EQ(words(effects), Words{"0:kill_run"});
    EXPECT_EQ(order_at<wire::KillRun>(effects, 0).group, GroupId{7});
}

TEST_F(TakenOverGroups, WhatWasNeverStartedIsGone) {
    found.stock(HostIndex{0}, {{stock_of(0, 0, 2)}, {}});
    found.stock(HostIndex{1}, {{stock_of(0, 2, 2)}, {}});
    found.stock(HostIndex{2}, {{}, {}});
    const auto effects = recover();
    ASSERT_EQ(words(effects), Words{"group gone"});
    EXPECT_EQ(event_at<resize::GroupGone>(effects, 0).group, GroupId{1});
}

TEST_F(TakenOverGroups, OfASilentHostNothingIsKnown) {
    found.stock(HostIndex{0}, {{stock_of(0, 0, 2)}, {}});
    found.lost(HostIndex{1}, true);
    found.lost(HostIndex{2}, false);
    EXPECT_TRUE(recover().empty());
    EXPECT_TRUE(groups.table().find(GroupId{0})->is_on(HostIndex{1}));
    EXPECT_TRUE(groups.table().find(GroupId{1})->is_on(HostIndex{1}));
    EXPECT_FALSE(groups.table().find(GroupId{1})->is_on(HostIndex{2}));
}

}  // namespace
}  // namespace ductile::broker
