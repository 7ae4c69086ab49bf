// What the program has asked to be called at a resize.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ductile/schema.hpp"

namespace ductile::engine {

/// Called by the program's thread, in this order.
using HookList = std::vector<std::function<void()>>;

struct Hooks {
    Schema schema;         ///< what new processes have, too
    std::string terms;     ///< what else has to be alike on all ranks, for messages
    HookList before_move;  ///< nothing on this rank speaks against the resize; nothing has moved
    HookList rebuild;      ///< the rank is a member of the job as it is now
};

inline void call(const HookList& hooks) {
    for (const auto& hook : hooks) hook();
}

}  // namespace ductile::engine
