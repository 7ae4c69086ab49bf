// The switch of a resize with newcomers, on a source (docs/architecture.md, "The switch"). All
// sources stay (merge), some stay, or none (baseline, renewal).
#pragma once

#include <optional>

#include "engine/switch.hpp"
#include "engine/switch_tools.hpp"
#include "mpi/abort_trap.hpp"
#include "mpi/errors_return.hpp"

namespace ductile::engine {

class GrowSwitch final : public Switch {
  public:
    GrowSwitch(const SwitchTools& tools, const SwitchPlan& plan) : tools_(tools), plan_(plan) {}

    [[nodiscard]] data::PartCounts part_counts() const override {
        return {tools_.member.size(), plan_.after.size(), &tools_.member.membership().layout,
                &plan_.after};
    }
    Obstacle prepare(std::vector<data::Outgoing> arrays) override;
    void on_first_vote(bool yes) override;
    Obstacle carry_out(SwitchReport& report) override;
    mpi::SharedComm last_voters() override { return tools_.member.membership().comms.vote; }
    void roll_back(SwitchReport& report) override;
    void move(SwitchReport& report) override;
    Adoption adopt() override;

  private:
    Obstacle take_join();
    Obstacle wait_for_entry();
    [[nodiscard]] ExpandInputs inputs();
    void begin_attempt();
    void tell_of_program(const ExpandOutcome& outcome);
    Obstacle obstacle_of_attempt(bool ended);
    void move_after_commit();

    const SwitchTools tools_;
    const SwitchPlan plan_;
    std::vector<data::Outgoing> arrays_;  ///< this rank's old parts
    /// The program's error handlers must not see the death of a newcomer.
    std::optional<mpi::ErrorsReturn> errors_return_;
    mpi::SharedComm bridge_;                  ///< to the newcomers' leader, on the job's rank 0
    std::optional<BackgroundJoined> joined_;  ///< the result of a join before the point
    std::optional<mpi::AbortTrap> trap_;
    std::shared_ptr<ExpandAttempt> attempt_;
};

}  // namespace ductile::engine
