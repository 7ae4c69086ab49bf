// The switch of a shrink: ranks leave (TS) or park (ZS). No newcomer can die here, so the program's
// thread does it all itself.
#pragma once

#include "data/redistribution.hpp"
#include "engine/switch.hpp"
#include "engine/switch_tools.hpp"

namespace ductile::engine {

class ShrinkSwitch final : public Switch {
  public:
    ShrinkSwitch(const SwitchTools& tools, const SwitchPlan& plan) : tools_(tools), plan_(plan) {}

    [[nodiscard]] data::PartCounts part_counts() const override {
        return {tools_.member.size(), plan_.after.size(), &tools_.member.membership().layout,
                &plan_.after};
    }
    Obstacle prepare(std::vector<data::Outgoing> arrays) override;
    /// None: after the first vote all memory is there. A second one would only make the survivors
    /// wait for the leavers.
    mpi::SharedComm last_voters() override { return nullptr; }
    void move(SwitchReport& report) override;
    Adoption adopt() override;

  private:
    const SwitchTools tools_;
    const SwitchPlan plan_;
    Fate fate_ = Fate::leaves;  ///< this rank's
    data::Movement movement_;
    MemberComms comms_;  ///< of those that stay
};

}  // namespace ductile::engine
