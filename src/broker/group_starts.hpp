// How groups are started: the orders to their agents, and the lists of their hosts for a launcher.
// Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "broker/group_effects.hpp"
#include "broker/group_table.hpp"
#include "mpi/capabilities.hpp"
#include "pmi/kvsname.hpp"
#include "resize/resize_plan.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

/// The runs that each host's agent starts.
using RunsByHost = std::map<core::HostIndex, std::vector<wire::StartRun>>;

/// The process manager of a group.
using Manager = std::variant<wire::ByLauncher, wire::ServedWorld>;

struct GroupStart {
    wire::RankWelcome welcome;
    bool spawned = false;  ///< ranks of the job start the group, by MPI_Comm_spawn
    bool input = false;    ///< rank 0 of the group reads the job's standard input
    Manager manager;
    std::vector<wire::WorldHost> world = {};  ///< the result of launcher_hosts()
};

/// All hosts of a group, for mpiexec. Empty if mpiexec needs no list, or if agents start the ranks.
std::vector<wire::WorldHost> launcher_hosts(const core::Group& group, const mpi::Capabilities& mpi,
                                            const core::Allocation& hosts);
/// The hosts of a group for MPI_Comm_spawn. If agents start the ranks, only the first one,
/// because one entry is enough to name the group.
std::string spawn_hosts(const core::Group& group, const mpi::Capabilities& mpi);
/// What the ranks of a plan's groups are told. `job`: the part that all groups of the job share.
wire::RankWelcome newcomers_welcome(const resize::ResizePlan& plan, const wire::RankWelcome& job);
/// The ranks of a group that start other groups.
std::vector<core::Rank> starters_in(core::GroupId group, const resize::ResizePlan& plan);
/// The world that each agent of a group serves to its ranks.
wire::ServedWorld served_world(const core::Group& group, const pmi::KvsName& name,
                               const HostsNow& hosts);
/// PMI_process_mapping; empty if it is too long. None if the machine of some host is not known yet.
std::optional<std::string> world_mapping(const core::Group& group, const HostsNow& hosts);
/// How many ranks of the job the machine of a host may come to hold. Several hosts may be one
/// machine.
int slots_of_machine(core::HostIndex host, const HostsNow& hosts);
void add_runs(const GroupState& state, const GroupStart& start, const HostsNow& hosts,
              RunsByHost& out);

}  // namespace ductile::broker
