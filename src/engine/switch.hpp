// What a switch does at the announced point. Each kind has a file of its own. Their common course
// is run_switch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/parts.hpp"
#include "engine/membership.hpp"
#include "engine/obstacle.hpp"
#include "engine/switch_plan.hpp"
#include "engine/switch_report.hpp"

namespace ductile::engine {

/// What a rank is after a switch.
enum class Fate { unchanged, stays, parks, leaves };

struct Adoption {
    Membership next;
    Fate fate = Fate::stays;
};

/// The steps of one rank in one switch, in the order of the calls. A step that communicates is
/// collective over the ranks that take part in the switch.
class Switch {
  public:
    Switch() = default;
    virtual ~Switch() = default;
    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;

    /// How many ranks hold the arrays before and after.
    [[nodiscard]] virtual data::PartCounts part_counts() const = 0;
    /// Before the first vote: checks and allocations that this rank does alone, and that need no
    /// undo. `arrays`: what the rank gives. If the rank cannot continue, returns why or throws.
    virtual Obstacle prepare(std::vector<data::Outgoing> arrays) = 0;
    /// The result of the first vote. After a no, no step follows.
    virtual void on_first_vote([[maybe_unused]] bool yes) {}
    /// Before the last vote: all work that can still be rolled back.
    virtual Obstacle carry_out([[maybe_unused]] SwitchReport& report) { return std::nullopt; }
    /// The ranks that cast the last vote. Null: the first vote was the commit.
    virtual mpi::SharedComm last_voters() = 0;
    /// Not committed: the job continues as before.
    virtual void roll_back([[maybe_unused]] SwitchReport& report) {}
    /// Committed: moves what has not moved yet. A failure from here on counts as the death of a
    /// member.
    virtual void move([[maybe_unused]] SwitchReport& report) {}
    /// Adopts the new data and returns the new role of the rank.
    virtual Adoption adopt() = 0;
};

}  // namespace ductile::engine
