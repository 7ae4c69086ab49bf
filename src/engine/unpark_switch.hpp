// The switch by which parked ranks come back. It runs on the members and on the parked ranks.
#pragma once

#include "data/redistribution.hpp"
#include "engine/switch.hpp"
#include "engine/switch_tools.hpp"
#include "engine/verdict.hpp"

namespace ductile::engine {

class UnparkSwitch final : public Switch {
  public:
    /// On a member.
    UnparkSwitch(const SwitchTools& tools, const SwitchPlan& plan);
    /// On a parked rank that comes back: the second half of the switch (run_switch.hpp).
    UnparkSwitch(const SwitchTools& tools, const Verdict& verdict);

    [[nodiscard]] data::PartCounts part_counts() const override {
        return {verdict_.members, static_cast<int>(verdict_.all.size()), &members_before_,
                &state_.layout};
    }
    Obstacle prepare(std::vector<data::Outgoing> arrays) override;
    /// The leader sends the verdict to the parked ranks.
    void on_first_vote(bool yes) override;
    Obstacle carry_out(SwitchReport& report) override;
    /// Members and parked ranks together.
    mpi::SharedComm last_voters() override { return comms_.vote; }
    void move(SwitchReport& report) override;
    Adoption adopt() override;

  private:
    const SwitchTools tools_;
    const BeforeParking before_;
    Verdict verdict_;  ///< the verdict if the vote is yes
    core::Layout members_before_;
    JoinState state_;       ///< rank 0's state, after carry_out() on every rank
    MemberComms comms_;     ///< of members and returning ranks together
    ductile::Place place_;  ///< of this rank in `comms_`
    data::Movement movement_;
};

}  // namespace ductile::engine
