// How a member communicates in a switch: with the broker over its link, and by votes over MPI.
#pragma once

#include "engine/run_switch.hpp"
#include "engine/switch_tools.hpp"

namespace ductile::engine {

class LinkedRank final : public SwitchRank {
  public:
    explicit LinkedRank(const SwitchTools& tools) : tools_(tools) {}

    void arrive(core::TransactionId transaction) override;
    Obstacle objection() override { return tools_.gate.objection(); }
    Registered registered(const data::PartCounts& counts) override;
    void before_move() override { call(tools_.member.hooks().before_move); }
    void rebuild(SwitchReport& report) override;
    Tally vote(const mpi::SharedComm& voters, const Ballot& ballot) override;
    Obstacle difference(const data::PartCounts& counts) override;
    void adopt(Adoption adoption) override;
    void report_failed(core::TransactionId transaction, const std::string& why) override;
    void report(SwitchReport report, const Stopwatch& since_arrival) override;

  private:
    const SwitchTools tools_;
};

}  // namespace ductile::engine
