// The switch by which parked ranks come back, on the members and on the parked ranks themselves.
#pragma once

#include "data/redistribution.hpp"
#include "engine/switch.hpp"
#include "engine/switch_tools.hpp"
#include "engine/verdict.hpp"

namespace ductile::engine {

class UnparkSwitch final : public Switch {
  public:
    /// A member's.
    UnparkSwitch(const SwitchTools& tools, const SwitchPlan& plan);
    /// Of a parked rank that is to come back: the second half of the switch (run_switch.hpp).
    UnparkSwitch(const SwitchTools& tools, const Verdict& verdict);

    [[nodiscard]] data::PartCounts part_counts() const override {
        return {verdict_.members, static_cast<int>(verdict_.all.size()), &members_before_,
                &state_.layout};
    }
    Obstacle prepare(std::vector<data::Outgoing> arrays) override;
    /// The leader tells those that are parked.
    void on_first_vote(bool yes) override;
    Obstacle carry_out(SwitchReport& report) override;
    /// Members and parked ranks together.
    mpi::SharedComm last_voters() override { return comms_.vote; }
    void move(SwitchReport& report) override;
    Adoption adopt() override;

  private:
    const SwitchTools tools_;
    const BeforeParking before_;
    Verdict verdict_;  ///< of a yes
    core::Layout members_before_;
    JoinState state_;    ///< rank 0's, after carry_out() on every rank
    MemberComms comms_;  ///< of all that come together
    data::Movement movement_;
};

}  // namespace ductile::engine
