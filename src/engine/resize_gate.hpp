// Where the program's thread and the link's thread meet about resizes. No MPI, no messages here:
// what is agreed is a matter of GateState, the waiting is one of this class.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "engine/gate_state.hpp"
#include "engine/point_counter.hpp"

namespace ductile::engine {

/// What the gate has its rank do. Called under the gate's lock, by any thread: none may call back.
struct GateActions {
    /// `count`: points entered so far.
    std::function<void(const gate::Prepare&, std::int64_t count, bool finished)> answer;
    /// On another thread; then tell(EarlyVoteEnded).
    std::function<void()> cast_early_vote;
    std::function<void(core::TransactionId)> say_voting;
    std::function<void(const gate::RankReport&)> stand;
};

class ResizeGate {
  public:
    explicit ResizeGate(GateActions actions) : actions_(std::move(actions)) {}

    PointCounter counter;

    /// From any thread; never blocks.
    void tell(const gate::Event& event);

    // ---- the program's thread ----
    /// The process is a member by this transaction, `count` resize points into the job.
    void begin(std::int64_t count, core::TransactionId by);
    /// The switch that begins at this point, or nothing: go on. Sleeps while armed and undecided.
    std::optional<SwitchPlan> wait_at(std::int64_t point);
    /// In a blocking switch: sleeps until the newcomers are there, or are not to be waited for.
    void wait_for_newcomers();
    /// Why this rank votes no, if it does.
    [[nodiscard]] std::optional<std::string> objection();
    /// Calls `wake` when the switch at hand has lost its newcomers, as soon as it has.
    void on_newcomers_lost(std::function<void()> wake);
    void end_switch(const gate::SwitchEnded& end);
    /// No more resize points will be entered. Sleeps until a question that was answered is decided.
    void finish();
    /// Parked: sleeps until asked to come back by a transaction after `last`, or, with nothing, to
    /// leave. Questions wait for the next begin().
    std::optional<core::TransactionId> wait_parked(core::TransactionId last);
    /// A parked rank is to leave.
    [[nodiscard]] bool exit_permitted();
    /// After `leave`: sleeps until the others have gone on, for `patience` at most.
    void wait_to_exit(std::chrono::milliseconds patience);

  private:
    void act_on(const gate::Event& event);
    void carry_out(const gate::Effect& effect);

    const GateActions actions_;
    std::mutex mutex_;
    std::condition_variable changed_;
    GateState state_;
    std::function<void()> wake_switch_;
};

}  // namespace ductile::engine
