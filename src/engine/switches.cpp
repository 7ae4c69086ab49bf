#include "engine/switches.hpp"

#include "engine/grow_switch.hpp"
#include "engine/shrink_switch.hpp"
#include "engine/unpark_switch.hpp"

namespace ductile::engine {

std::unique_ptr<Switch> make_switch(const SwitchTools& tools, const SwitchPlan& plan) {
    if (!plan.added.empty()) return std::make_unique<GrowSwitch>(tools, plan);
    if (plan.after.size() > tools.member.size()) return std::make_unique<UnparkSwitch>(tools, plan);
    return std::make_unique<ShrinkSwitch>(tools, plan);
}

}  // namespace ductile::engine
