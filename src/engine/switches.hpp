// The kinds of switches: each is registered in switches.cpp.
#pragma once

#include "engine/switch.hpp"
#include "engine/switch_tools.hpp"

namespace ductile::engine {

/// The switch that carries a plan out on this member.
std::unique_ptr<Switch> make_switch(const SwitchTools& tools, const SwitchPlan& plan);

}  // namespace ductile::engine
