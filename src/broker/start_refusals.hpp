// Reasons to refuse the plan of a resize: the MPI cannot do it, or runs out of worlds. Also tells
// when all ranks must be replaced now, because this would not be possible later. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// Why this start cannot start new groups under this MPI; none if it can.
std::optional<std::string> why_not(plan::Start start, const mpi::Capabilities& mpi);
/// The start that is used if none is named: `launch`. It is `collective` if the MPI does not
/// support `launch` but supports MPI_Comm_spawn.
plan::Start standard_start(const mpi::Capabilities& mpi);

/// Why this executor cannot move data under this MPI; none if it can.
std::optional<std::string> why_not(plan::Executor executor, const mpi::Capabilities& mpi);

/// Why --join and --memory exclude each other in a resize that starts groups; none if they do not.
std::optional<std::string> why_not(const plan::Strategy& strategy);

/// Why the job cannot use this start at all; none if it can.
std::optional<Refused> refuse_start(plan::Start start, const JobView& job);
/// Why MPI_Comm_spawn cannot start these groups on their hosts, or join them with the job; none if
/// it can.
std::optional<Refused> refuse_spawns(plan::Start start, const std::vector<core::Group>& added,
                                     const JobView& job);

/// Refuses too many worlds in one communicator. With every method, old and new worlds share a
/// communicator for a while.
std::optional<Refused> too_many_together(const PlannedResize& resize, const JobView& job);
/// Refuses too many worlds in the life of a process. Each group is a world that the oldest members
/// meet. An MPI that runs out of worlds aborts.
std::optional<Refused> refuse_worlds(const PlannedResize& resize, const JobView& job);
/// Whether no world would be left for a replacement after this resize.
bool must_be_replaced_before(const PlannedResize& resize, const JobView& job);

}  // namespace ductile::broker
