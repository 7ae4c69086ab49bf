// The life of a group's part on this host as a state machine. Pure: times come in as arguments.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "agent/group_events.hpp"

namespace ductile::agent {

class GroupLife {
  public:
    GroupLife(std::size_t ranks, bool newcomers) : ranks_(ranks), are_members_(!newcomers) {}

    /// After the group has ended, events have no effect.
    void on(const group_event::Any& event, Time now, GroupEffects& effects);

    [[nodiscard]] const std::vector<RankLife>& ranks() const { return ranks_; }
    /// The end of the group has been reported.
    [[nodiscard]] bool has_ended() const { return std::holds_alternative<Over>(state_); }
    [[nodiscard]] bool is_being_killed() const { return std::holds_alternative<Killed>(state_); }
    /// Ranks that have not started yet must not start any more.
    [[nodiscard]] bool takes_no_ranks() const;
    [[nodiscard]] bool are_members() const { return are_members_; }

  private:
    /// The group has started, but not all of its ranks have.
    struct Expecting {};
    struct Running {};
    /// The ranks were killed. Their launcher, if there is one, continues for other groups, or has
    /// some time to end by itself.
    struct Emptied {};
    /// Processes that the ranks have left behind have time until `until` to end by themselves. Then
    /// the agent kills them.
    struct Settling {
        Time until;
        bool emptied = false;
    };
    struct Killed {
        GroupCause cause = GroupCause::none;
    };
    struct Over {};

    void on_rank(const group_event::OfRank& event, Time now, GroupEffects& effects);
    void on_leave(const group_event::LeaveOrdered& event, GroupEffects& effects);
    void on_end_order(Time now, GroupEffects& effects);
    void on_launcher(const LauncherState& launcher, Time now, GroupEffects& effects);
    void on_timer(GroupTimer which, Time now, GroupEffects& effects);
    void watch_leavers(GroupEffects& effects) const;
    void on_leave_due(Time now, GroupEffects& effects);
    void on_looked(bool something_left, Time now, GroupEffects& effects);
    void consider(Time now, GroupEffects& effects);
    void settle(Time now, GroupEffects& effects);
    void look_if_due(GroupEffects& effects) const;
    void kill(GroupCause cause, GroupEffects& effects);
    void kill_ranks(Time now, GroupEffects& effects);
    void kill_what_may_go(Time now, GroupEffects& effects);
    void kill_after_patience(Time now, GroupEffects& effects);
    [[nodiscard]] bool daemon_stays() const { return launcher_.stays && !is_being_killed(); }
    [[nodiscard]] bool none_left() const;
    [[nodiscard]] bool may_be_over() const;

    std::vector<RankLife> ranks_;
    bool are_members_;
    std::variant<Running, Expecting, Emptied, Settling, Killed, Over> state_;
    LauncherState launcher_;
    bool brokerless_ = false;
    std::optional<Time> kill_at_;  // the time limit for the launcher's end
};

/// Whether a rank has failed, and was dismissed neither before its end nor afterwards.
[[nodiscard]] bool has_failed(const GroupLife& group);
/// Whether a rank here is active (RankLife::is_active), and the group has not ended.
[[nodiscard]] bool has_active(const GroupLife& group);
/// Whether a member here is inside an MPI_Comm_spawn for a resize.
[[nodiscard]] bool spawns(const GroupLife& group);

}  // namespace ductile::agent
