// What the switches of a member work with.
#pragma once

#include "engine/background_join.hpp"
#include "engine/leader_bridge.hpp"
#include "engine/member_state.hpp"
#include "engine/resize_gate.hpp"
#include "engine/spawner.hpp"
#include "engine/switch_progress.hpp"

namespace ductile::engine {

/// All of it belongs to the Member.
struct SwitchTools {
    AgentChannel& link;
    ResizeGate& gate;
    MemberState& member;
    LeaderBridge& bridge;
    Spawner& spawner;
    BackgroundJoin& background_join;
    SwitchProgress& progress;
};

}  // namespace ductile::engine
