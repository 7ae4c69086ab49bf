// Where the program's thread and the link's thread meet for resizes. No MPI and no messages here:
// GateState decides, and this class waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "engine/gate_state.hpp"
#include "engine/point_counter.hpp"

namespace ductile::engine {

/// Actions of the rank that the gate calls. Any thread may call them, under the gate's lock. So
/// they must not call the gate.
struct GateActions {
    /// `count`: points entered so far.
    std::function<void(const gate::Prepare&, std::int64_t count, bool finished)> answer;
    /// Votes on another thread, and then calls tell(EarlyVoteEnded).
    std::function<void()> cast_early_vote;
    std::function<void(core::TransactionId)> report_voting;
    std::function<void(const gate::RankReport&)> send_report;
};

class ResizeGate {
  public:
    explicit ResizeGate(GateActions actions) : actions_(std::move(actions)) {}

    PointCounter counter;

    /// Any thread may call this. Never blocks.
    void tell(const gate::Event& event);

    // ---- the program's thread ----
    /// The process is a member by this transaction. The job has passed `count` resize points.
    void begin(std::int64_t count, core::TransactionId by);
    /// The switch that begins at this point. Nothing: continue. Sleeps while the counter is armed
    /// and the broker has not decided.
    std::optional<SwitchPlan> wait_at(std::int64_t point);
    /// In a blocking switch: sleeps until the newcomers are ready, or this rank must not wait for
    /// them.
    void wait_for_newcomers();
    /// Why this rank votes no. Nothing: it does not.
    [[nodiscard]] std::optional<std::string> objection();
    /// Calls `wake` as soon as the current switch has lost its newcomers.
    void on_newcomers_lost(std::function<void()> wake);
    void end_switch(const gate::SwitchEnded& end);
    /// The rank enters no more resize points. If it has answered a Prepare, sleeps until the
    /// decision. If it votes early, sleeps until the end of the vote.
    void finish();
    /// A parked rank sleeps until a transaction after `last` calls it back. Nothing: the rank must
    /// leave. A Prepare that comes meanwhile is answered after the next begin().
    std::optional<core::TransactionId> wait_parked(core::TransactionId last);
    /// A parked rank must leave.
    [[nodiscard]] bool exit_permitted();
    /// After `leave`: sleeps until the other ranks have continued, or the broker is lost, for
    /// `patience` at most.
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
