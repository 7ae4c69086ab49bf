// The switch of a shrink: ranks leave or park (TS and ZS of parallel-spawning-strategies, section
// 4.6). No newcomer can die here, so the program's thread does all the work itself.
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
    /// None: after the first vote all memory is allocated. In a second vote the ranks that stay
    /// would only wait for the leavers.
    mpi::SharedComm last_voters() override { return nullptr; }
    void move(SwitchReport& report) override;
    Adoption adopt() override;

  private:
    const SwitchTools tools_;
    const SwitchPlan plan_;
    Fate fate_ = Fate::leaves;  ///< this rank's
    data::Movement movement_;
    MemberComms comms_;  ///< of the ranks that stay
};

}  // namespace ductile::engine
