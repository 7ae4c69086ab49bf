// The new groups of a resize: how far they have come, and how they are ended. Pure.
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

/// Started by agents or by ranks, the groups become one communicator, and its leader is joined with
/// the program's. All functions append what is to be done to `out`.
class Newcomers {
  public:
    Newcomers() = default;  ///< for fields() to fill
    Newcomers(const ResizePlan& plan, bool lost_before);

    // ---- coming up; only while the resize is wanted ----
    void start(const ResizePlan& plan, Effects& out);
    void up(const RankUp& event, Effects& out);
    void ready(const GroupReady& event, Effects& out);
    void round_done(const RoundDone& event, Effects& out);
    /// How they become one communicator.
    [[nodiscard]] GroupConnector& connector() { return connector_; }
    /// Null where the agents start the groups.
    [[nodiscard]] GroupSpawns* spawns() { return spawns_ ? &*spawns_ : nullptr; }
    void spawn_returned(const SpawnReturned& event, const ResizePlan& plan, bool wanted,
                        Effects& out);

    // ---- the leaders' bridge ----
    /// Tells the newcomers' leader to connect, as soon as both sides are there.
    void connect_if_possible(Effects& out);
    void bridged(const Bridged& event, bool by_leader, bool by_newcomer, Effects& out);
    [[nodiscard]] LeadersBridge& bridge() { return bridge_; }
    /// A process of ours may be connecting in the place of a lost newcomer.
    [[nodiscard]] bool is_helped() const {
        return bridge_.is_helped() || (spawns_ && spawns_->any_open());
    }
    [[nodiscard]] bool is_bridged() const;

    /// The join with the sources, where that is in the background.
    [[nodiscard]] BackgroundJoin& join() { return join_; }

    // ---- the end of a resize that is given up ----
    /// Ends them, or begins with what must come first: a process that waits for them inside MPI
    /// must come out.
    void end(Effects& out);
    /// Continues with that, if it was begun and nobody waits for them any more.
    void end_if_possible(Effects& out);
    [[nodiscard]] bool end_is_due() const { return end_due_; }
    /// The wait was too long. False: a spawn does not return.
    [[nodiscard]] bool end_late(Effects& out);
    /// One of them is lost.
    void lost() { lost_ = true; }
    /// Is a process inside MPI, waiting for newcomers that must not be killed now?
    [[nodiscard]] bool is_awaited() const;
    void gone(core::GroupId group, Effects& out);
    /// Groups of which something may be left.
    [[nodiscard]] const std::set<core::GroupId>& alive() const { return alive_; }
    /// Another broker: agents have answered all open spawns with an error.
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
    std::optional<GroupSpawns> spawns_;  ///< where ranks start the groups
    LeadersBridge bridge_;
    BackgroundJoin join_;
    std::set<core::GroupId> alive_;
    bool end_due_ = false;  ///< they are to be ended once nobody waits for them
    bool lost_ = false;
};

}  // namespace ductile::resize
