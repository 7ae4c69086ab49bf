// The groups of a job that runs.
#pragma once

#include <gtest/gtest.h>

#include "groups_of_a_job.hpp"

namespace ductile::broker {

inline const core::Group newcomers{
    core::GroupId{1}, core::HostIndex{1}, 2, {{core::HostIndex{2}, 1}}};

/// The groups of TestJob, which runs.
struct RunningGroups : testing::Test {
    explicit RunningGroups(const mpi::Capabilities& mpi = served_by_agents())
        : groups(groups_with(mpi)) {
        groups.start(first_start(job), true, job.hosts);
        groups.make_members({core::GroupId{0}});
    }
    /// Begins resize 1. If `spawned`, ranks start its group; otherwise agents start it.
    RunsByHost grow(bool spawned) {
        auto plan = growth(job, newcomers);
        if (spawned) plan.spawns = {{1, core::GroupId{0}, core::Rank{0}, core::GroupId{1}}};
        job.open.emplace(plan);
        resize::Effects effects;
        job.open->on(resize::Begin{}, effects);
        job.open->on(resize::Recorded{}, effects);
        return groups.start(plan, true, job.hosts);
    }
    GroupEffects host_lost(int host, JobGroups::Loss expected) {
        GroupEffects effects;
        EXPECT_EQ(groups.on_host_lost(core::HostIndex{host}, job.now(), effects), expected);
        return effects;
    }
    GroupEffects host_up(int host) {
        GroupEffects effects;
        groups.on_host_up(core::HostIndex{host}, job.hosts, effects);
        return effects;
    }
    template <class Message>
    GroupEffects pmi(int host, const Message& message) {
        GroupEffects effects;
        groups.on_pmi(core::HostIndex{host}, message, effects);
        return effects;
    }
    GroupEffects rank_ended(int group, int rank, int signal = 0) {
        groups.on_rank_event({core::GroupId{group}, core::Rank{rank}}, RankEvent::ended);
        GroupEffects effects;
        groups.on_rank_ended({core::GroupId{group}, core::Rank{rank}, 0, signal, true, false, ""},
                             job.now(), effects);
        return effects;
    }
    GroupEffects part_ended(int group, int host, int code = 0) {
        GroupEffects effects;
        groups.on_part_ended(core::HostIndex{host}, {core::GroupId{group}, code, 0, ""}, job.now(),
                             effects);
        return effects;
    }
    /// g0.1 on node0 calls MPI_Comm_spawn for `ranks` processes.
    GroupEffects spawn(int ranks, const std::string& host = "", const char* key = "host") {
        wire::SpawnAsked asked;
        asked.group = core::GroupId{0};
        asked.rank = core::Rank{1};
        asked.commands.emplace_back();
        asked.commands.back().ranks = ranks;
        asked.commands.back().program = {"child"};
        if (!host.empty()) asked.commands.back().info.push_back({key, host});
        asked.keys = {{"PARENT_ROOT_PORT_NAME", "port"}};
        GroupEffects effects;
        groups.on_spawn_asked(core::HostIndex{0}, asked, job.now(), effects);
        return effects;
    }
    /// Advances the job's clock by `by`, and gives up late spawns.
    GroupEffects later(std::chrono::milliseconds by) {
        job.time += by;
        GroupEffects effects;
        groups.give_up_late_spawns(job.time, effects);
        return effects;
    }
    [[nodiscard]] const GroupState* state(int group) const {
        return groups.table().find(core::GroupId{group});
    }
    TestJob job;
    JobGroups groups;
};

/// Under an mpiexec on the first host of each group.
struct LaunchedGroups : RunningGroups {
    LaunchedGroups() : RunningGroups({}) {}
};

}  // namespace ductile::broker
