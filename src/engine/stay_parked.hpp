// Ranks that parked at a shrink (ZS, parallel-spawning-strategies, section 4.6). They sleep inside
// their resize point until they come back into the job or leave.
#pragma once

#include "engine/run_switch.hpp"
#include "engine/start_orders.hpp"
#include "engine/switch_tools.hpp"

namespace ductile::engine {

/// `last`: the transaction by which the rank has parked. Returns `stays` if the rank is a member
/// again, else `leaves`.
Fate stay_parked(const SwitchTools& tools, StartOrders& orders, SwitchRank& rank,
                 core::TransactionId last);

}  // namespace ductile::engine
