// What a resize costs, depending on its strategy: the terms of dynamic-spawning-methods, equations
// (1)-(7), with numbers that were measured on the machine (`ductile calibrate`). Pure.
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
    int started = 0;  ///< ranks that start; 0: shrink by merge, or return of parked ranks
    int groups = 0;   ///< worlds that start
    int steps = 0;    ///< steps of starts, one after another
    /// Whether a spawn stops the program even in the background: a process that spawns keeps its
    /// other threads out of MPI (docs/mpi.md, "What is known of each"), and the other sources then
    /// wait for messages from this process.
    bool spawn_stops_program = false;
    bool operator==(const ResizeShape&) const = default;
};

/// `spawns`: which process starts which group inside MPI. It is empty for `launch`, which has one
/// step.
ResizeShape shape_of(const core::Layout& before, const core::Layout& after,
                     const std::vector<core::Group>& added, const std::vector<Spawn>& spawns);

/// The number of rounds in which `groups` groups become one communicator (section 4.4 of
/// parallel-spawning-strategies): ceil(log2(groups)).
int rounds_among(int groups);

/// Seconds: constant + per_rank * ranks + per_level * levels. No coefficient is negative.
struct Term {
    double constant = 0, per_rank = 0, per_level = 0;
    [[nodiscard]] double at(double ranks, double levels) const {
        return constant + per_rank * ranks + per_level * levels;
    }
    bool operator==(const Term&) const = default;
};

/// The cost of one start, blocking or in the background. `ranks` of both terms: those that start.
struct StartCost {
    Term spawn;        ///< T_Spw; levels: the steps
    Term connect;      ///< T_Con; levels: the rounds among the groups that start
    double omega = 1;  ///< iteration time during the start / iteration time before (equation 6)
    double correction = 1;  ///< factor for spawn and connect, learnt from later resizes
    int samples = 0;        ///< number of measured resizes
    bool operator==(const StartCost&) const = default;
};

struct CostModel {
    std::map<std::pair<Start, Overlap>, StartCost> starts;
    Term merge;  ///< T_Mrg, with votes and commit; ranks: all old and new ranks together
    Term split;  ///< T_Split of a shrink by merge, with vote and commit; ranks: the sources
    std::vector<MoveCost> moves;  ///< T_Redist of each executor that was measured

    /// Whether the model knows no start.
    [[nodiscard]] bool empty() const { return starts.empty(); }
    /// Corrects the expected costs of later resizes by the measured time of this one: multiplies
    /// StartCost::correction by the cube root of measured / expected time. The correction stays
    /// between 0.1 and 10.
    void learn(const Strategy& strategy, const ResizeShape& shape, double spawn_and_connect_s);
    bool operator==(const CostModel&) const = default;
};

/// All in seconds. Redistribution is left out: its time depends on the data, which only the ranks
/// know. Its executor is chosen separately (executor_choice.hpp).
struct Cost {
    double spawn_s = 0, connect_s = 0;
    double switch_s = 0;  ///< time at the resize point, during which the program always waits
    double total_s = 0;
    /// The time that the program loses. If the program waits, it loses the whole time (equations 1,
    /// 2, 4, 5). In the background it loses the switch, and the part 1 - 1/omega of the time
    /// before, because iterations take longer (equation 6). If the spawn stops the program, the
    /// whole spawn is lost, too.
    double lost_s = 0;
    bool operator==(const Cost&) const = default;

    /// The cost of two resizes, one after the other.
    [[nodiscard]] Cost operator+(const Cost& next) const {
        return {spawn_s + next.spawn_s, connect_s + next.connect_s, switch_s + next.switch_s,
                total_s + next.total_s, lost_s + next.lost_s};
    }
};

/// The expected cost. Returns nullopt if the model does not know this strategy.
std::optional<Cost> cost_of(const CostModel& model, const Strategy& strategy,
                            const ResizeShape& shape);

/// One measurement of a term.
struct Observation {
    double ranks = 0, levels = 0, seconds = 0;
};

/// The term with the least sum of squared relative errors among the terms without a negative
/// coefficient. Ignores observations of 0 seconds or less. Without observations the term is 0.
/// Throws std::invalid_argument for a value that is not finite.
Term fit(const std::vector<Observation>& observations);

}  // namespace ductile::plan
