// The new groups of a resize: their progress, and how they are ended. Pure.
#pragma once

#include <optional>
#include <set>

#include "resize/background_join.hpp"
#include "resize/effect.hpp"
#include "resize/group_connector.hpp"
#include "resize/group_spawns.hpp"
#include "resize/leaders_bridge.hpp"
#include "resize/resize_plan.hpp"

namespace ductile::resize {

/// Agents or ranks start the groups. The groups become one communicator, and its leader is joined
/// with the program's leader. All functions append their effects to `out`.
class Newcomers {
  public:
    Newcomers() = default;  ///< filled by fields()
    Newcomers(const ResizePlan& plan, bool lost_before);

    // ---- the start of the groups; only while the resize is wanted ----
    void start(const ResizePlan& plan, Effects& out);
    void up(const RankUp& event, Effects& out);
    void ready(const GroupReady& event, Effects& out);
    void round_done(const RoundDone& event, Effects& out);
    /// Decides how the groups become one communicator.
    [[nodiscard]] GroupConnector& connector() { return connector_; }
    /// Null if the agents start the groups.
    [[nodiscard]] GroupSpawns* spawns() { return spawns_ ? &*spawns_ : nullptr; }
    void spawn_returned(const SpawnReturned& event, const ResizePlan& plan, bool wanted,
                        Effects& out);

    // ---- the leaders' bridge ----
    /// Tells the newcomers' leader to connect if both sides are ready, and no MPI_Comm_spawn is
    /// open or still to come.
    void connect_if_possible(Effects& out);
    void ready_to_merge(const core::Process& process, Effects& out);
    void bridged(const Bridged& event, bool by_leader, bool by_newcomer, Effects& out);
    [[nodiscard]] LeadersBridge& bridge() { return bridge_; }
    /// Whether an abort connector may be connecting in the place of a lost newcomer.
    [[nodiscard]] bool is_helped() const {
        return bridge_.is_helped() || (spawns_ && spawns_->any_open());
    }
    [[nodiscard]] bool is_bridged() const;

    /// The join with the sources, if it is in the background.
    [[nodiscard]] BackgroundJoin& join() { return join_; }

    // ---- the end of a resize that is given up ----
    /// Ends the newcomers. If a process waits for them inside MPI, this process must return from
    /// MPI first: then end() only gives up open spawns and starts a timer, and end_is_due() returns
    /// true.
    void end(Effects& out);
    /// Ends the newcomers if their end is due and no process waits for them any more.
    void end_if_possible(Effects& out);
    [[nodiscard]] bool end_is_due() const { return end_due_; }
    /// Called when the wait took too long. Returns false if a spawn does not return.
    [[nodiscard]] bool end_late(Effects& out);
    /// A newcomer is lost.
    void lost() { lost_ = true; }
    /// Whether a process waits inside MPI for newcomers that must not be killed now.
    [[nodiscard]] bool is_awaited() const;
    void gone(core::GroupId group, Effects& out);
    /// The groups that may still have processes.
    [[nodiscard]] const std::set<core::GroupId>& alive() const { return alive_; }
    /// Another broker has taken the job over. Agents have answered all open spawns with an error.
    void taken_over(std::set<core::GroupId> alive, bool accepting);

    bool operator==(const Newcomers&) const = default;
    template <class V>
    void fields(V& v) {
        v("connector", connector_), v("spawns", spawns_), v("bridge", bridge_);
        v("join", join_);
        v("alive", alive_), v("end_due", end_due_), v("lost", lost_);
    }

  private:
    GroupConnector connector_;
    std::optional<GroupSpawns> spawns_;  ///< only if ranks start the groups
    LeadersBridge bridge_;
    BackgroundJoin join_;
    std::set<core::GroupId> alive_;
    bool end_due_ = false;  ///< end the newcomers when no process waits for them
    bool lost_ = false;
};

}  // namespace ductile::resize
