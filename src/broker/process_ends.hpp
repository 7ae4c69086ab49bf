// Describes the end of a rank or of a part of a group, for the failure classifier. Pure.
#pragma once

#include <string>

#include "broker/group_effects.hpp"
#include "broker/group_table.hpp"
#include "mpi/capabilities.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

/// Precondition: the rank belongs to the group.
RankEnd rank_end(const wire::RankEnded& ended, const GroupState& state, const GroupContext& job,
                 const mpi::Capabilities& mpi);
PartEnd part_end(const wire::RunEnded& ended, core::HostIndex host, const GroupState& state,
                 const GroupContext& job, const mpi::Capabilities& mpi);
/// Whether the mpiexec of the whole group runs on this host.
bool runs_launcher_on(core::HostIndex host, const GroupState& state, const mpi::Capabilities& mpi);
/// Whether the job loses ranks that it needs if it loses the group's part on this host. Always true
/// for a group of newcomers or of children.
bool needs_host(const GroupState& state, core::HostIndex host, const core::Layout& layout);

}  // namespace ductile::broker
