// A member of a job: its resize points, and what it does there.
#pragma once

#include <functional>
#include <memory>

#include "ductile/resized.hpp"
#include "engine/linked_rank.hpp"
#include "engine/program_reports.hpp"
#include "engine/start_orders.hpp"
#include "engine/switch_tools.hpp"

namespace ductile::engine {

/// How a process ends its use of MPI. It finalises MPI unless one of these is set.
struct Parting {
    /// No rank of this group is allowed to finalise MPI (groups that came later are). A join had
    /// begun, and was rolled back or never completed. What it left unfinished would make
    /// MPI_Finalize abort.
    bool skip_finalize = false;
    /// A helper is stuck inside MPI, or MPI holds memory that is gone.
    bool stuck = false;
};

double monotonic_seconds();

class Member {
  public:
    /// `self`: this process. `now`: seconds on this host's monotonic clock.
    Member(std::shared_ptr<AgentChannel> link, MpiCalls mpi,
           std::shared_ptr<data::Registry> registry, std::shared_ptr<const Hooks> hooks,
           core::Process self, std::function<double()> now = monotonic_seconds);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    /// The link's thread calls this at any time. Never blocks.
    void on_message(const wire::ToRank& message);
    void on_tick();
    /// The process is a member from now on.
    void begin(Membership membership);
    /// In a new process, before the join: calls the program's on_prepare functions for the place of
    /// this process in the job. Throws ProgramFailed with what the program threw.
    void prepare();
    /// See MemberState.
    void before_new_membership(std::function<void()> call) {
        state_.before_new_membership(std::move(call));
    }

    [[nodiscard]] bool is_member() const { return state_.is_member(); }
    [[nodiscard]] const Membership& membership() const { return state_.membership(); }
    [[nodiscard]] int rank() const { return state_.rank(); }
    [[nodiscard]] int size() const { return state_.size(); }

    Resized resize_point() {
        const auto entered = gate_.counter.enter();
        if (!entered.armed) [[likely]] {
            reports_.pass_point();
            return entered.pending ? Resized::pending : Resized::unchanged;
        }
        return stop_at(entered.point);
    }

    /// The rank enters no more resize points. Waits for an open decision, for the program's
    /// on_prepare functions, and for the helper threads of a resize.
    Parting finish();

  private:
    [[nodiscard]] GateActions gate_actions();
    Resized stop_at(std::int64_t point);
    void cast_early_vote();
    void give_up(core::TransactionId transaction);
    void on_prepare(const wire::Prepare& order);
    void on_rolled_back(core::TransactionId transaction);
    void on_start_order(const StartOrder& order);
    void on_join(const wire::Join& order);
    void on_background_join(bool on);
    [[nodiscard]] bool comes_by(core::TransactionId transaction) const;

    std::shared_ptr<AgentChannel> link_;
    const MpiCalls mpi_;
    ProgramReports reports_;
    ResizeGate gate_;
    MemberState state_;
    LeaderBridge bridge_;
    Spawner spawner_;
    BackgroundJoin background_join_;
    StartOrders orders_;
    SwitchProgress progress_;
    const SwitchTools tools_;
    bool left_ = false;
};

}  // namespace ductile::engine
