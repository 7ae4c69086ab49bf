// Why a resize cannot be as a plan would have it: what the MPI cannot do, what it runs out of, and
// what would be left behind. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// Why new groups cannot come to be by this start under this MPI; nothing when they can.
std::optional<std::string> why_not(plan::Start start, const mpi::Capabilities& mpi);
/// The one that is taken where none is named: `launch`, or, under an MPI that cannot do it, the
/// first that it can.
plan::Start standard_start(const mpi::Capabilities& mpi);

/// Why data cannot move so under this MPI; nothing when they can.
std::optional<std::string> why_not(plan::Executor executor, const mpi::Capabilities& mpi);

/// Why --join and --memory do not go together in a resize that starts groups; nothing when they do.
std::optional<std::string> why_not(const plan::Strategy& strategy);

/// Whether the job can start groups so at all.
std::optional<Refused> refuse_start(plan::Start start, const JobView& job);
/// Whether MPI_Comm_spawn can start these groups, on the hosts that they are to have.
std::optional<Refused> refuse_spawns(plan::Start start, const std::vector<core::Group>& added,
                                     const JobView& job);

/// Old and new worlds are in one communicator for a while, whatever the method.
std::optional<Refused> too_many_together(const PlannedResize& resize, const JobView& job);
/// Each group is a world that the oldest members meet; an MPI that runs out of them aborts.
std::optional<Refused> refuse_worlds(const PlannedResize& resize, const JobView& job);
/// Whether afterwards no world would be left for a replacement.
bool must_be_replaced_before(const PlannedResize& resize, const JobView& job);

}  // namespace ductile::broker
