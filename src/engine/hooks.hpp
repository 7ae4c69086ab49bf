// Functions of the program that Ductile calls at a resize.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ductile/schema.hpp"

namespace ductile::engine {

/// The program's thread calls them in this order.
using HookList = std::vector<std::function<void()>>;

struct Hooks {
    Schema schema;         ///< new processes have the same schema
    std::string terms;     ///< what else must be the same on all ranks, as text for messages
    HookList before_move;  ///< called if this rank has no objection, before the switch moves data
    HookList rebuild;      ///< called when the rank is a member of the resized job
};

inline void call(const HookList& hooks) {
    for (const auto& hook : hooks) hook();
}

}  // namespace ductile::engine
