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

    /// After the group has ended nothing changes any more.
    void on(const group_event::Any& event, Time now, GroupEffects& effects);

    [[nodiscard]] const std::vector<RankLife>& ranks() const { return ranks_; }
    /// Its end has been reported.
    [[nodiscard]] bool has_ended() const { return std::holds_alternative<Over>(state_); }
    [[nodiscard]] bool is_being_killed() const { return std::holds_alternative<Killed>(state_); }
    /// Ranks that have not come yet are not wanted any more.
    [[nodiscard]] bool takes_no_ranks() const;
    [[nodiscard]] bool are_members() const { return are_members_; }

  private:
    /// Ranks come later than the order.
    struct Expecting {};
    struct Running {};
    /// The ranks were killed. Their launcher goes on, or ends by itself.
    struct Emptied {};
    /// What the ranks have left behind has a grace; then it is killed.
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
    std::optional<Time> kill_at_;  // when the launcher is to have ended
};

/// A rank has ended otherwise than it should, and the broker had not dismissed it.
[[nodiscard]] bool has_failed(const GroupLife& group);
/// A rank is here that is not parked, and neither it nor its Job has ended.
[[nodiscard]] bool has_active(const GroupLife& group);
/// A member here was told to start a group, and has not said that MPI_Comm_spawn has returned.
[[nodiscard]] bool spawns(const GroupLife& group);

}  // namespace ductile::agent
