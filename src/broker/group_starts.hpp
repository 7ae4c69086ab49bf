// How groups are started: the orders to their agents, and how a launcher is told of their hosts.
// Pure.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "broker/group_effects.hpp"
#include "mpi/capabilities.hpp"
#include "pmi/kvsname.hpp"
#include "resize/resize_plan.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

/// What an agent is to start, by host.
using RunsByHost = std::map<core::HostIndex, std::vector<wire::StartRun>>;

/// Who is the process manager of a group.
using Manager = std::variant<wire::ByLauncher, wire::ServedWorld>;

struct GroupStart {
    wire::RankWelcome welcome;
    bool spawned = false;  ///< ranks of the job start it, by MPI_Comm_spawn
    bool input = false;    ///< its rank 0 reads the job's standard input
    Manager manager;
    std::vector<wire::WorldHost> world = {};  ///< as launcher_hosts() says
};

/// For mpiexec, which has to be told of all hosts of a group; empty where it needs no list.
std::vector<wire::WorldHost> launcher_hosts(const core::Group& group, const mpi::Capabilities& mpi,
                                            const core::Allocation& hosts);
/// The hosts of a group for MPI_Comm_spawn.
std::string spawn_hosts(const core::Group& group, const mpi::Capabilities& mpi);
/// What the ranks of a plan's groups are told; `job`: what is the same for all groups of the job.
wire::RankWelcome newcomers_welcome(const resize::ResizePlan& plan, const wire::RankWelcome& job);
/// Ranks of a group that start others.
std::vector<core::Rank> starters_in(core::GroupId group, const resize::ResizePlan& plan);
/// What each agent of a group serves its ranks.
wire::ServedWorld served_world(const core::Group& group, const pmi::KvsName& name,
                               const HostsNow& hosts);
void add_runs(const core::Group& group, const GroupStart& start, RunsByHost& out);

}  // namespace ductile::broker
