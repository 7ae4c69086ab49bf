// What a resize has ranks told, as messages to them. Pure.
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

/// Where a job's processes are, and how MPI_Comm_spawn is told of hosts.
struct RankDirectory {
    const core::Layout& layout;  ///< at present
    /// The processes of a group; none when it is over.
    std::function<std::vector<core::RankRange>(core::GroupId)> ranges;
    std::function<std::string(core::GroupId)> spawn_hosts;
    bool by_entry = false;  ///< mpi::SpawnHosts
    std::vector<plan::MoveCost> move_costs = {};
};

/// None for an effect that tells ranks nothing.
std::vector<RankOrder> orders_for(const resize::Effect& effect, const resize::ResizePlan& plan,
                                  const RankDirectory& directory);

}  // namespace ductile::broker
