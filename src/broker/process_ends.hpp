// What is known of a rank or a part of a group when it ends, for the failure classifier. Pure.
#pragma once

#include <string>

#include "broker/group_effects.hpp"
#include "broker/group_table.hpp"
#include "mpi/capabilities.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

/// Precondition: the rank is one of the group.
RankEnd rank_end(const wire::RankEnded& ended, const GroupState& state, const GroupContext& job,
                 const mpi::Capabilities& mpi);
PartEnd part_end(const wire::RunEnded& ended, core::HostIndex host, const GroupState& state,
                 const GroupContext& job, const mpi::Capabilities& mpi);
/// The mpiexec of all of the group runs on this host.
bool runs_launcher_on(core::HostIndex host, const GroupState& state, const mpi::Capabilities& mpi);
/// Does the job lose ranks with this host? Of a group that is no newcomer of a resize.
bool needs_host(const GroupState& state, core::HostIndex host, const core::Layout& layout);

}  // namespace ductile::broker
