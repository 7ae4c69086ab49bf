// What a resize costs, by the way it is carried out: the terms of dynamic-spawning-methods,
// equations (1)-(7), with numbers that were measured on the machine (`ductile calibrate`). Pure.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/layout.hpp"
#include "plan/executor_choice.hpp"
#include "plan/methods.hpp"
#include "plan/spawn_schedule.hpp"

namespace ductile::plan {

/// What the cost of a resize depends on.
struct ResizeShape {
    int sources = 0;  ///< NP
    int targets = 0;  ///< NC
    int started = 0;  ///< ranks that start; 0: a shrink by merge, or parked ranks that come back
    int groups = 0;   ///< worlds that start
    int steps = 0;    ///< of starts that follow each other
    /// The sources speak to each other, and those that spawn are out of MPI meanwhile
    /// (docs/mpi.md, "What is known of each"): the program stands still, in the background, too.
    bool spawn_stops_program = false;
    bool operator==(const ResizeShape&) const = default;
};

/// `spawns`: who starts what inside of MPI; none for `launch`, which has one step.
ResizeShape shape_of(const core::Layout& before, const core::Layout& after,
                     const std::vector<core::Group>& added, const std::vector<Spawn>& spawns);

/// Rounds in which so many groups become one communicator (section 4.4 of
/// parallel-spawning-strategies): ceil(log2(groups)).
int rounds_among(int groups);

/// Seconds: constant + per_rank * ranks + per_level * levels, none of them negative.
struct Term {
    double constant = 0, per_rank = 0, per_level = 0;
    [[nodiscard]] double at(double ranks, double levels) const {
        return constant + per_rank * ranks + per_level * levels;
    }
    bool operator==(const Term&) const = default;
};

/// Of one start, waited for or in the background.
struct StartCost {
    Term spawn;             ///< T_Spw: ranks that start, steps
    Term connect;           ///< T_Con: ranks that start, rounds among their groups
    double omega = 1;       ///< time of an iteration meanwhile over that before (equation 6)
    double correction = 1;  ///< of spawn and connect, by the resizes that happened since
    int samples = 0;        ///< resizes that were measured
    bool operator==(const StartCost&) const = default;
};

struct CostModel {
    std::map<std::pair<Start, Overlap>, StartCost> starts;
    Term merge;                   ///< T_Mrg, with votes and commit: ranks of old and new together
    Term split;                   ///< T_Split, of a shrink by merge, with vote and commit: sources
    std::vector<MoveCost> moves;  ///< T_Redist, of each executor that was measured

    /// Nothing is known.
    [[nodiscard]] bool empty() const { return starts.empty(); }
    /// What was observed of a resize corrects what is said of the next ones: a third of the way, in
    /// ratios, and never by more than a factor of 10 from what was calibrated.
    void learn(const Strategy& strategy, const ResizeShape& shape, double spawn_and_connect_s);
    bool operator==(const CostModel&) const = default;
};

/// All in seconds. Redistribution is left out: how long it takes depends on the data, which the
/// ranks alone know, and it is chosen by itself (executor_choice.hpp).
struct Cost {
    double spawn_s = 0, connect_s = 0;
    double switch_s = 0;  ///< what the program waits for at its resize point in any case
    double total_s = 0;
    /// What the program loses: all of it when it waits (equations 1, 2, 4, 5); in the background
    /// the switch, and of the time before it what iterations take longer, 1 - 1/omega (equation 6).
    /// All of the spawn, too, where that stops the program.
    double lost_s = 0;
    bool operator==(const Cost&) const = default;

    /// One after the other.
    [[nodiscard]] Cost operator+(const Cost& next) const {
        return {spawn_s + next.spawn_s, connect_s + next.connect_s, switch_s + next.switch_s,
                total_s + next.total_s, lost_s + next.lost_s};
    }
};

/// Nothing when the model knows nothing of this way.
std::optional<Cost> cost_of(const CostModel& model, const Strategy& strategy,
                            const ResizeShape& shape);

/// One measurement of a term.
struct Observation {
    double ranks = 0, levels = 0, seconds = 0;
};

/// The term whose relative errors have the least sum of squares among those without a negative
/// coefficient. Observations of 0 seconds or less are left out; with none, all is 0. Throws
/// std::invalid_argument for a value that is not finite.
Term fit(const std::vector<Observation>& observations);

}  // namespace ductile::plan
