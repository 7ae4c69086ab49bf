// The objects that the switches of a member use.
#pragma once

#include "engine/background_join.hpp"
#include "engine/leader_bridge.hpp"
#include "engine/member_state.hpp"
#include "engine/resize_gate.hpp"
#include "engine/spawner.hpp"
#include "engine/switch_progress.hpp"

namespace ductile::engine {

/// The Member owns all of them.
struct SwitchTools {
    AgentChannel& link;
    const MpiCalls& mpi;
    ResizeGate& gate;
    MemberState& member;
    LeaderBridge& bridge;
    Spawner& spawner;
    BackgroundJoin& background_join;
    SwitchProgress& progress;
};

}  // namespace ductile::engine
