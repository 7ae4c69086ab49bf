// What a switch does at the announced point. Each kind is a file of its own; what all have in
// common is run_switch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/parts.hpp"
#include "engine/membership.hpp"
#include "engine/obstacle.hpp"
#include "engine/switch_plan.hpp"
#include "wire/from_rank_messages.hpp"

namespace ductile::engine {

/// What a source reports after a switch, with its own times.
using SwitchReport = wire::SwitchDone;

/// What a rank is after a switch.
enum class Fate { unchanged, stays, parks, leaves };

struct Adoption {
    Membership next;
    Fate fate = Fate::stays;
};

/// The steps of one rank in one switch, in the order in which they are called. A step that
/// communicates is collective over who takes part in the switch.
class Switch {
  public:
    Switch() = default;
    virtual ~Switch() = default;
    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;

    /// How many ranks hold the arrays before and after.
    [[nodiscard]] virtual data::PartCounts part_counts() const = 0;
    /// Before the first vote: what this rank can find out and allocate by itself. Nothing that has
    /// to be undone. `arrays`: what it gives. Throws Error where it cannot go on.
    virtual Obstacle prepare(std::vector<data::Outgoing> arrays) = 0;
    /// What the first vote came to; without a yes nothing follows.
    virtual void on_first_vote([[maybe_unused]] bool yes) {}
    /// Before the last vote: all that can be done while the job can still go on as it is.
    virtual Obstacle carry_out([[maybe_unused]] SwitchReport& report) { return std::nullopt; }
    /// Those who cast the last vote; none: the first one was the commit.
    virtual mpi::SharedComm last_voters() = 0;
    /// Not committed: the job goes on as it is.
    virtual void roll_back([[maybe_unused]] SwitchReport& report) {}
    /// Committed: what is still to be moved. What fails from here on is a member's death.
    virtual void move([[maybe_unused]] SwitchReport& report) {}
    /// Takes the new data over and says what the rank is from now on.
    virtual Adoption adopt() = 0;
};

}  // namespace ductile::engine
