// Translates the effects of a resize into messages to ranks. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "resize/resize_operation.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::broker {

struct RankOrder {
    std::vector<core::RankRange> to;
    wire::ToRank message;
};

/// The places of a job's processes, and the names of hosts for MPI_Comm_spawn.
struct RankDirectory {
    const core::Layout& layout;  ///< the present one
    /// The processes of a group; empty if the group is over.
    std::function<std::vector<core::RankRange>(core::GroupId)> ranges;
    std::function<std::string(core::GroupId)> spawn_hosts;
    bool by_entry = false;  ///< see mpi::SpawnHosts
    std::vector<plan::MoveCost> move_costs = {};
};

/// Empty if the effect sends nothing to ranks.
std::vector<RankOrder> orders_for(const resize::Effect& effect, const resize::ResizePlan& plan,
                                  const RankDirectory& directory);

}  // namespace ductile::broker
