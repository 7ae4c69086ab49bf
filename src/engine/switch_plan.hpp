// What all sources do at the announced point.
#pragma once

#include <cstdint>
#include <vector>

#include "core/layout.hpp"
#include "plan/executor_choice.hpp"

namespace ductile::engine {

struct SwitchPlan {
    core::TransactionId transaction;
    std::int64_t point = 0;
    std::vector<core::Group> added;
    core::Layout after;
    bool blocking = false;  ///< the new groups start only when the sources are at the point
    bool joined = false;    ///< the new ranks are joined before the point
    plan::Executor redistribution = plan::Executor::p2p;
    std::vector<plan::MoveCost> move_costs = {};  ///< to choose an `automatic` executor
    plan::Memory memory = plan::Memory::keep;
};

}  // namespace ductile::engine
