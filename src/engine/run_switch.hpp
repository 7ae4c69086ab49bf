// The course of every switch: the leader's word that it stands at the point, the first vote, the
// switch itself, the last vote, the commit, the report.
#pragma once

#include "engine/stopwatch.hpp"
#include "engine/switch.hpp"
#include "engine/vote.hpp"

namespace ductile::engine {

/// What a rank has registered, as it goes into a switch.
struct Registered {
    std::vector<data::Outgoing> arrays;
    std::int64_t fingerprint = 0;
};

/// The rank in whose name a switch is run: its voice and its ear.
class SwitchRank {
  public:
    SwitchRank() = default;
    virtual ~SwitchRank() = default;
    SwitchRank(const SwitchRank&) = delete;
    SwitchRank& operator=(const SwitchRank&) = delete;

    /// The rank stands at the point.
    virtual void arrive(core::TransactionId transaction) = 0;
    /// Why it votes no, whatever the switch itself says.
    virtual Obstacle objection() = 0;
    /// Throws Error that names an array of which the rule gives no partition.
    virtual Registered registered(const data::PartCounts& counts) = 0;
    /// The program's own work before data move. Throws what the program throws.
    virtual void before_move() = 0;
    /// The program's own work in the job as it is now; its time goes into the report. Throws what
    /// the program throws.
    virtual void rebuild(SwitchReport& report) = 0;
    /// Casts a ballot among these ranks, or, with none, among the members.
    virtual Tally vote(const mpi::SharedComm& voters, const Ballot& ballot) = 0;
    /// The first vote has shown that not all have registered the same: what this rank has that is
    /// not as on rank 0. Collective over the members.
    virtual Obstacle difference(const data::PartCounts& counts) = 0;
    virtual void adopt(Adoption adoption) = 0;
    virtual void report(SwitchReport report, const Stopwatch& since_arrival) = 0;
};

/// A member's switch, from the announced point on. Throws what the program's rebuilding throws,
/// after the report.
Fate run_switch(Switch& what, const SwitchPlan& plan, SwitchRank& rank);

/// Its second half: from the first vote's yes up to the adoption. A rank that was parked has only
/// this half. Fills in the report; `why` is empty after a commit.
Fate complete_switch(Switch& what, SwitchReport& report, SwitchRank& rank);

}  // namespace ductile::engine
