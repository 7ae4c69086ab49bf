// Plans a resize request: which groups start, which ranks leave or park, or why it is refused.
// Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "broker/limits.hpp"
#include "broker/resize_request.hpp"
#include "core/allocation.hpp"
#include "core/layout.hpp"
#include "mpi/capabilities.hpp"
#include "plan/cost_model.hpp"
#include "plan/methods.hpp"
#include "plan/spawn_schedule.hpp"
#include "resize/resize_operation.hpp"

namespace ductile::broker {

/// Whether the processes of the job are degraded, and how far.
using resize::Health;

std::string to_string(Health health);

using core::SlotCounts;

/// What a plan depends on.
struct JobView {
    core::Layout layout;
    core::Allocation allocation;  ///< without slots on revoked hosts and without slots of children
    core::Allocation living;      ///< also without slots on hosts that were lost
    SlotCounts given_back;        ///< not used unless a request reclaims them
    Limits limits;
    mpi::Capabilities mpi;
    plan::Strategy strategy;    ///< if the request does not name another one
    plan::Automatic automatic;  ///< what is chosen for each resize (choose_strategy.hpp)
    plan::CostModel costs;      ///< the known costs on this machine
    int next_group = 0;         ///< the lowest id that was never used
    int mpi_worlds_seen = 0;    ///< the number of worlds that the oldest members have seen
    Health health = Health::good;
};

struct PlannedResize {
    std::vector<core::Group> added;
    core::Layout after;
    SlotCounts given_back;  ///< after the resize
    /// The parked ranks are not enough. They come back first, then the request is planned again.
    bool has_next_step = false;
    plan::ResizeShape rest;   ///< of the next step
    plan::Strategy strategy;  ///< if no step adds groups, only redistribution and memory count
    std::vector<plan::Spawn> spawns;  ///< the calls of MPI_Comm_spawn
    std::string table;                ///< for a person
    plan::ResizeShape shape;
    std::optional<plan::Cost> cost;  ///< as the cost model estimates it
};
struct NothingToDo {
    std::string why;
};
struct Refused {
    std::string why;
};
using Planned = std::variant<PlannedResize, NothingToDo, Refused>;

/// Plans a resize. If the request names no method, a growth by `merge` becomes `baseline` (fresh
/// processes) in three cases. First: the members are degraded (Health::helper). Second: they could
/// not be replaced later, because their MPI limits the worlds in the life of a process or in a
/// communicator. Third: parked ranks come back before others start, and the limits do not allow the
/// size that the job has in between. In the first and the third case a request that names `merge`
/// is refused. A replacement for one of these reasons, and each resize of a degraded job that
/// starts ranks, uses standard_start() (start_refusals.hpp), whatever the request names. A renewal
/// uses it, too, unless the request names another start. With Limits::one_world each resize is by
/// `baseline`, and a request that names `merge` is refused. For a range of sizes, plans one size
/// (size_in_range.hpp).
Planned plan_resize(const ResizeRequest& request, const JobView& job);

}  // namespace ductile::broker
