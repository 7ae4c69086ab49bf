// A member of a job: resize points, and the two kinds of resize it can take part in.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "ductile/resized.hpp"
#include "engine/agent_link.hpp"
#include "engine/expand_attempt.hpp"
#include "engine/leader_bridge.hpp"
#include "engine/membership.hpp"
#include "engine/resize_desk.hpp"

namespace ductile::engine {

/// What a source reports after a switch, with its own times.
using SwitchReport = wire::SwitchDone;

class Member {
  public:
    Member(std::shared_ptr<AgentLink> link, std::shared_ptr<data::Registry> registry);
    ~Member();

    /// From the link's thread, at any time; never blocks.
    void on_message(const wire::ToRank& message);
    void on_tick();
    /// The process is a member from now on.
    void begin(Membership membership);

    [[nodiscard]] bool is_member() const { return static_cast<bool>(membership_.comms.job); }
    [[nodiscard]] const Membership& membership() const { return membership_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }

    Resized resize_point() {
        const auto entered = desk_.counter.enter();
        if (!entered.armed) [[likely]]
            return entered.underway ? Resized::pending : Resized::unchanged;
        return stop_at(entered.point);
    }

    /// No more resize points: waits for a decision that is due, ends the leader's bridge. Returns
    /// whether MPI can be finalised (false: a helper is stuck inside MPI, the process must leave by
    /// _exit).
    bool finish();

  private:
    Resized stop_at(std::int64_t point);
    Resized expand(const wire::Decide& plan);
    Resized shrink(const wire::Decide& plan);
    bool newcomers_enter(const mpi::Comm& bridge, core::TransactionId transaction,
                         std::string& objection);
    void commit_expand(const wire::Decide& plan, ExpandOutcome& outcome,
                       const mpi::SharedComm& bridge);
    void adopt_parts(const std::vector<data::Block>& parts);
    void become(Membership membership);
    [[nodiscard]] std::vector<data::Outgoing> outgoing() const;
    [[nodiscard]] core::Layout layout_after(const wire::Decide& plan) const;
    bool first_vote(const wire::Decide& plan, const std::string& objection);
    void report(SwitchReport report, std::chrono::steady_clock::time_point begin);
    void cast_early_vote();

    std::shared_ptr<AgentLink> link_;
    std::shared_ptr<data::Registry> registry_;
    ResizeDesk desk_;
    LeaderBridge bridge_;
    Membership membership_;
    int rank_ = 0;
    int size_ = 0;
    bool worn_ = false;
    bool left_ = false;
    std::atomic<bool> leader_{false};

    std::mutex attempt_mutex_;
    std::shared_ptr<ExpandAttempt> attempt_;  ///< the one under way, for on_tick
    core::TransactionId attempt_transaction_;
    std::uint64_t reported_steps_ = 0;
};

}  // namespace ductile::engine
