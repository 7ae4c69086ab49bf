// What a request for a resize comes to: which groups start, which ranks leave or park, or why not.
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

/// How far the job's processes are used up.
using resize::Health;

std::string to_string(Health health);

using core::SlotCounts;

/// What a plan depends on.
struct JobView {
    core::Layout layout;
    core::Allocation allocation;
    core::Allocation living;  ///< without hosts that were lost
    SlotCounts given_back;    ///< not to be used unless they are asked for
    Limits limits;
    mpi::Capabilities mpi;
    plan::Strategy strategy;    ///< where the request says nothing else
    plan::Automatic automatic;  ///< which of it is chosen for each resize (choose_strategy.hpp)
    plan::CostModel costs;      ///< what is known of this machine
    int next_group = 0;         ///< the lowest id that was never used
    int mpi_worlds_seen = 0;    ///< by the member that has met most
    Health health = Health::good;
};

struct PlannedResize {
    std::vector<core::Group> added;
    core::Layout after;
    SlotCounts given_back;  ///< afterwards
    /// The parked ranks are not enough: with them back, the same request is planned again.
    bool has_next_step = false;
    plan::ResizeShape rest;           ///< of what follows then
    plan::Strategy strategy;          ///< but for the redistribution of no meaning where nothing is
                                      ///< added, then or later
    std::vector<plan::Spawn> spawns;  ///< who starts what, inside of MPI
    std::string table;                ///< for a person
    plan::ResizeShape shape;
    std::optional<plan::Cost> cost;  ///< as the model says
};
struct NothingToDo {
    std::string why;
};
struct Refused {
    std::string why;
};
using Planned = std::variant<PlannedResize, NothingToDo, Refused>;

/// Plans a resize. Where neither request nor job name a method, `merge` becomes `baseline` - fresh
/// processes - when the members are degraded, or could otherwise not be replaced any more because
/// of the worlds that their MPI allows, in a process's life or in a communicator. Before anything
/// is started, parked ranks come back. Such a replacement, and a renewal, is started by `launch`
/// unless the request names another start. Of a range of sizes it plans one (size_in_range.hpp).
Planned plan_resize(const ResizeRequest& request, const JobView& job);

}  // namespace ductile::broker
