// A member of a job: resize points, and what it does there.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "ductile/resized.hpp"
#include "engine/agent_link.hpp"
#include "engine/expand_attempt.hpp"
#include "engine/leader_bridge.hpp"
#include "engine/membership.hpp"
#include "engine/resize_desk.hpp"
#include "engine/spawner.hpp"

namespace ductile::engine {

/// What a source reports after a switch, with its own times.
using SwitchReport = wire::SwitchDone;

/// How a process may part from MPI. It finalises unless one of these is set.
struct Parting {
    /// No rank of this group may (others of the job may have come later): a resize was rolled back
    /// after it had begun, and what it left unfinished would make MPI_Finalize abort.
    bool none_finalises = false;
    /// A helper is stuck inside MPI.
    bool stuck = false;
};

class Member {
  public:
    Member(std::shared_ptr<AgentLink> link, std::shared_ptr<data::Registry> registry);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    /// From the link's thread, at any time; never blocks.
    void on_message(const wire::ToRank& message);
    void on_tick();
    /// The process is a member from now on.
    void begin(Membership membership);
    /// Called by the program's thread when a resize is committed, while the communicators that end
    /// are still there.
    void before_new_membership(std::function<void()> call) { before_new_ = std::move(call); }

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

    /// No more resize points: waits for a decision that is due, ends the leader's bridge.
    Parting finish();

  private:
    Resized stop_at(std::int64_t point);
    /// The switch of every resize with newcomers: all sources stay (merge), or some, or none
    /// (baseline).
    Resized expand(const wire::Decide& plan);
    Resized shrink(const wire::Decide& plan);
    /// The switch by which parked ranks come back, on those that are members, and on the others.
    Resized take_back(const wire::Decide& plan);
    /// `last`: by which it has parked.
    Resized stay_parked(core::TransactionId last);
    bool come_back(core::TransactionId& transaction);
    bool come_together(MemberComms comms, int sources, const JoinState& state, SwitchReport& done);
    Resized leave();
    bool newcomers_enter(const mpi::Comm& bridge, core::TransactionId transaction,
                         std::string& objection);
    void commit_expand(const wire::Decide& plan, ExpandOutcome& outcome,
                       const mpi::SharedComm& bridge);
    void adopt_parts(const std::vector<data::Block>& parts);
    void become(Membership membership);
    [[nodiscard]] std::vector<data::Outgoing> outgoing() const;
    bool first_vote(const wire::Decide& plan, const std::string& objection);
    void report(SwitchReport report, std::chrono::steady_clock::time_point begin);
    void cast_early_vote();
    void begin_at(std::int64_t point);
    void on_start_order(const StartOrder& order);
    void carry_out_early_orders();

    std::shared_ptr<AgentLink> link_;
    std::shared_ptr<data::Registry> registry_;
    ResizeDesk desk_;
    LeaderBridge bridge_;
    Spawner spawner_;
    Membership membership_;
    std::function<void()> before_new_ = [] {};
    int rank_ = 0;
    int size_ = 0;
    /// After the join had begun; the same on all ranks of its group.
    std::atomic<bool> rolled_back_{false};
    bool worn_ = false;
    bool left_ = false;
    std::atomic<bool> leader_{false};

    std::mutex early_mutex_;
    bool begun_ = false;
    std::vector<StartOrder> early_orders_;  ///< that came before begin()

    std::mutex attempt_mutex_;
    std::shared_ptr<ExpandAttempt> attempt_;  ///< the one under way, for on_tick
    core::TransactionId attempt_transaction_;
    std::uint64_t reported_steps_ = 0;
};

}  // namespace ductile::engine
