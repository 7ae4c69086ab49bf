// The course of every switch: the arrival at the point (which the leader reports), the first vote,
// the switch itself, the last vote, the commit, the program's rebuilding, the report.
#pragma once

#include "engine/stopwatch.hpp"
#include "engine/switch.hpp"
#include "engine/vote.hpp"

namespace ductile::engine {

/// What a rank has registered when a switch begins.
struct Registered {
    std::vector<data::Outgoing> arrays;
    std::int64_t fingerprint = 0;
};

/// The rank that runs a switch: how the switch communicates and gets the rank's data.
class SwitchRank {
  public:
    SwitchRank() = default;
    virtual ~SwitchRank() = default;
    SwitchRank(const SwitchRank&) = delete;
    SwitchRank& operator=(const SwitchRank&) = delete;

    /// The rank is at the point.
    virtual void arrive(core::TransactionId transaction) = 0;
    /// Why the rank votes no, independent of the switch itself.
    virtual Obstacle objection() = 0;
    /// If the rule of an array gives no partition, throws Error that names the array.
    virtual Registered registered(const data::PartCounts& counts) = 0;
    /// The program's own work before data move. Throws what the program throws.
    virtual void before_move() = 0;
    /// The program's own work after a resize. Its time goes into the report. Throws what the
    /// program throws.
    virtual void rebuild(SwitchReport& report) = 0;
    /// Casts a ballot among `voters`. Null: among the members.
    virtual Tally vote(const mpi::SharedComm& voters, const Ballot& ballot) = 0;
    /// The first vote has shown that registrations differ. Returns what this rank has that differs
    /// from rank 0. Collective over the members.
    virtual Obstacle difference(const data::PartCounts& counts) = 0;
    virtual void adopt(Adoption adoption) = 0;
    /// Reports that the program's part has failed after the commit. Other ranks may wait for this
    /// rank inside MPI.
    virtual void report_failed(core::TransactionId transaction, const std::string& why) = 0;
    virtual void report(SwitchReport report, const Stopwatch& since_arrival) = 0;
};

/// A member's switch, from the announced point on. If the program's rebuilding throws, this
/// function throws the same after the report.
Fate run_switch(Switch& what, const SwitchPlan& plan, SwitchRank& rank);

/// The second half of a switch: from the yes of the first vote up to the adoption. A rank that was
/// parked has only this half. Fills in the report. `why` is empty after a commit. If the
/// program throws ProgramFailed after the commit, this function throws the same after the rank has
/// reported it.
Fate complete_switch(Switch& what, SwitchReport& report, SwitchRank& rank);

}  // namespace ductile::engine
