#include "broker/job_groups.hpp"

#include <gtest/gtest.h>

#include "running_groups.hpp"

namespace ductile::broker::job_groups_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

TEST_F(RunningGroups, ThoseWhoWorkAreActiveRanksAndChildren) {
    grow(false);  // these newcomers are no members yet
    job.ledger.use_groups(1);
    spawn(1, "node1");
    auto layout = job.ledger.layout();
    layout.parked = {layout.active.back()};
    layout.active.pop_back();
    EXPECT_EQ(groups.working(layout), layout.active);  // MPI_Comm_spawn has not returned
    pmi(1, wire::GateReached{GroupId{2}});
    const auto working = groups.working(layout);
    ASSERT_EQ(working.size(), 2u);
    EXPECT_EQ(working[0], layout.active[0]);
    EXPECT_EQ(working[1].group, GroupId{2});
    EXPECT_EQ(working[1].ranks, 1);
}

// ---- start ----

TEST_F(RunningGroups, EachHostOfAStartServesItsPartOfOneWorld) {
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
    EXPECT_FALSE(first.input);  // another rank reads it already
    EXPECT_EQ(state(1)->role, GroupRole::newcomer);
}

TEST_F(RunningGroups, OnlyTheJobsFirstRankReadsStandardInput) {
    for (const bool input : {false, true}) {
        auto other = groups_with(served_by_agents());
        const auto runs = other.start(first_start(job), input, job.hosts);
        EXPECT_EQ(runs.at(HostIndex{0}).at(0).input, input);
        EXPECT_FALSE(runs.at(HostIndex{1}).at(0).input);
    }
}

TEST_F(LaunchedGroups, AGroupBelongsToTheMpiexecOfWhoStartsIt) {
    const auto runs = grow(true);
    EXPECT_EQ(state(1)->launcher_group, GroupId{0});
    EXPECT_EQ(state(0)->launcher_group, GroupId{0});
    const auto& run = runs.at(HostIndex{2}).at(0);
    EXPECT_TRUE(run.spawned);
    EXPECT_TRUE(std::holds_alternative<wire::ByLauncher>(run.manager));
}

TEST_F(LaunchedGroups, OfAGroupThatNobodyStartsMpiexecIsToldAllHosts) {
    const auto runs = grow(false);
    EXPECT_EQ(state(1)->launcher_group, GroupId{1});
    EXPECT_EQ(runs.at(HostIndex{1}).at(0).world.size(), 2u);
    EXPECT_TRUE(runs.at(HostIndex{2}).at(0).world.empty());
}

TEST_F(RunningGroups, AGroupIsReleasedAndKilledOnEachOfItsHosts) {
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

TEST_F(RunningGroups, AnAgentThatComesLateHearsWhatWasGivenUp) {
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

TEST(JobGroups, HostsAreToldWhichOfThemAreOneMachineWhenAllAreUp) {
    TestJob job;
    job.hosts.machines.clear();
    auto groups = groups_with(served_by_agents());
    const auto runs = groups.start(first_start(job), false, job.hosts);
    EXPECT_TRUE(std::get<wire::ServedWorld>(runs.at(HostIndex{0}).at(0).manager).mapping_follows);
    GroupEffects effects;
    job.hosts.machines[HostIndex{1}] = HostIndex{1};
    groups.on_host_up(HostIndex{1}, job.hosts, effects);
    EXPECT_TRUE(effects.empty());
    job.hosts.machines[HostIndex{0}] = HostIndex{1};
    groups.on_host_up(HostIndex{0}, job.hosts, effects);
    ASSERT_EQ(words(effects), (Words{"0:world_mapping", "1:world_mapping"}));
    EXPECT_EQ(order_at<wire::WorldMapping>(effects, 0).mapping, "(vector,(0,1,4))");
    groups.on_host_up(HostIndex{0}, job.hosts, effects);
    EXPECT_EQ(effects.size(), 2U) << "once";

    auto taken_over = groups_with(served_by_agents());
    taken_over.restore({{job.first, job.first.id, GroupRole::member}});
    effects.clear();
    taken_over.on_host_up(HostIndex{0}, job.hosts, effects);
    EXPECT_EQ(words(effects), (Words{"0:world_mapping", "1:world_mapping"})) << "once more";
}

// ---- PMI ----

TEST_F(RunningGroups, ABarrierGoesBackToAllHosts) {
    EXPECT_TRUE(pmi(0, wire::BarrierReached{GroupId{0}, 0, {}}).empty());
    EXPECT_EQ(words(pmi(1, wire::BarrierReached{GroupId{0}, 0, {}})),
              (Words{"0:barrier_released", "1:barrier_released"}));
}

TEST_F(RunningGroups, AGateOpensWhenAllHostsHaveReachedIt) {
    grow(true);
    EXPECT_TRUE(pmi(1, wire::GateReached{GroupId{1}}).empty());
    EXPECT_EQ(words(pmi(2, wire::GateReached{GroupId{1}})),
              (Words{"1:open_gate", "2:open_gate", "gate reached"}));
}

TEST_F(RunningGroups, ARankThatEndsBeforeTheGateLosesIt) {
    grow(true);
    const auto effects = pmi(2, wire::GateLost{GroupId{1}, Rank{1}});
    ASSERT_EQ(words(effects), Words{"gate lost"});
    EXPECT_EQ(event_at<resize::GateLost>(effects, 0).group, GroupId{1});
}

// ---- MPI_Comm_spawn ----

TEST_F(RunningGroups, ASpawnForAResizeIsItsOwn) {
    grow(true);
    const auto effects = spawn(2, "240.0.16.0:1,240.0.16.1:1", "hosts");
    ASSERT_EQ(words(effects), Words{"spawn asked"});
    const auto& asked = event_at<resize::SpawnAsked>(effects, 0);
    EXPECT_EQ(asked.starts, GroupId{1});
    EXPECT_EQ(asked.caller, (core::Process{GroupId{0}, Rank{1}}));
    EXPECT_EQ(asked.port, "port");
}

TEST_F(RunningGroups, ASpawnForAResizeThatIsOverFails) {
    const auto effects = spawn(2, "240.0.16.0:2", "hosts");
    ASSERT_EQ(words(effects), Words{"0:spawn_answer"});
    EXPECT_FALSE(order_at<wire::SpawnAnswer>(effects, 0).ok);
}

TEST_F(RunningGroups, ASpawnThatCannotBePlacedFails) {
    const auto effects = spawn(1, "elsewhere");
    ASSERT_EQ(words(effects), (Words{"0:spawn_answer", "notify"}));
    EXPECT_FALSE(order_at<wire::SpawnAnswer>(effects, 0).ok);
    const auto& text = std::get<NotifyUser>(effects[1]).text;
    EXPECT_EQ(text.rfind("MPI_Comm_spawn by rank g0.1 fails: ", 0), 0u) << text;
    EXPECT_EQ(groups.table().all().size(), 1u);
}

TEST_F(RunningGroups, ChildrenAreInTheJournalBeforeTheyStart) {
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

TEST_F(RunningGroups, OnAnIdleHostAnAgentIsStartedForChildren) {
    job.hosts.up.erase(HostIndex{2});
    job.hosts.idle.insert(HostIndex{2});
    const auto effects = spawn(2, "node1:1,node2:1", "hosts");
    ASSERT_EQ(words(effects),
              (Words{"children begin", "1:start_run", "1:start_ranks", "2:start agent"}));
    const auto& run = std::get<StartAgent>(effects[3]).run;
    EXPECT_EQ(run.first_rank, 1);
    EXPECT_TRUE(run.spawned);
    EXPECT_EQ(run.children.at(0).program, std::vector<std::string>{"child"});
    const auto up = host_up(2);
    ASSERT_EQ(words(up), Words{"2:start_ranks"});
    EXPECT_EQ(order_at<wire::StartRanks>(up, 0).keys.at(0).value, "port");
}

TEST_F(RunningGroups, TheCallerIsAnsweredWhenAllChildrenRun) {
    spawn(1, "node1");
    const auto effects = pmi(1, wire::GateReached{GroupId{1}});
    ASSERT_EQ(words(effects), (Words{"1:open_gate", "0:spawn_answer", "gate reached"}));
    EXPECT_TRUE(order_at<wire::SpawnAnswer>(effects, 1).ok);
}

TEST_F(RunningGroups, ChildrenThatEndTooEarlyFailTheSpawn) {
    spawn(1, "node1");
    EXPECT_EQ(words(rank_ended(1, 0)), (Words{"notify", "1:kill_run"}));
    const auto effects = part_ended(1, 1);
    ASSERT_EQ(words(effects), (Words{"0:spawn_answer", "group gone", "part end"}));
    EXPECT_FALSE(order_at<wire::SpawnAnswer>(effects, 0).ok);
    EXPECT_FALSE(std::get<PartEnd>(effects[2]).needed);
    EXPECT_EQ(state(1), nullptr);
}

TEST_F(RunningGroups, AGateThatChildrenLoseFailsTheSpawn) {
    spawn(1, "node1");
    EXPECT_EQ(words(pmi(1, wire::GateLost{GroupId{1}, Rank{0}})),
              (Words{"1:kill_run", "0:spawn_answer", "gate lost"}));
    EXPECT_EQ(state(1)->role, GroupRole::undone);
}

TEST_F(RunningGroups, ASpawnThatTakesTooLongFails) {
    using namespace std::chrono_literals;
    spawn(1, "node1");
    job.ledger.use_groups(1);
    later(1s);
    spawn(1, "node0");
    EXPECT_TRUE(later(resize::spawn_within - 1001ms).empty());
    const auto effects = later(1ms);
    ASSERT_EQ(words(effects), (Words{"notify", "1:kill_run", "0:spawn_answer"}));
    EXPECT_FALSE(order_at<wire::SpawnAnswer>(effects, 2).ok);
    EXPECT_EQ(order_at<wire::KillRun>(effects, 1).group, GroupId{1});
    EXPECT_EQ(std::get<NotifyUser>(effects[0]).text,
              "MPI_Comm_spawn by rank g0.1 fails: MPI did not run in all of its processes within "
              "60 s");
    // The children may still reach their gate. It opens, because their parent has its answer.
    EXPECT_EQ(words(pmi(1, wire::GateReached{GroupId{1}})), (Words{"1:open_gate", "gate reached"}));
    EXPECT_EQ(words(later(1s)), (Words{"notify", "0:kill_run", "0:spawn_answer"}));
}

TEST_F(RunningGroups, ASpawnThatWasAnsweredHasNoTimeLimit) {
    spawn(1, "node1");
    pmi(1, wire::GateReached{GroupId{1}});
    EXPECT_TRUE(later(2 * resize::spawn_within).empty());
    EXPECT_EQ(state(1)->role, GroupRole::child);
}

TEST_F(RunningGroups, AChildThatRunsIsJudgedAsAnyRank) {
    spawn(1, "node1");
    pmi(1, wire::GateReached{GroupId{1}});
    EXPECT_EQ(words(rank_ended(1, 0)), (Words{"rank end", "process ended"}));
}

}  // namespace
}  // namespace ductile::broker::job_groups_test
