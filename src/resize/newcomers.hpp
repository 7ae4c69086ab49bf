// The new groups of a resize: how far they have come, and how they are ended. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "resize/effect.hpp"
#include "resize/group_connector.hpp"
#include "resize/leaders_bridge.hpp"
#include "resize/resize_plan.hpp"
#include "resize/spawn_callers.hpp"
#include "resize/spawn_tracker.hpp"

namespace ductile::resize {

/// Started by agents or by ranks, the groups become one communicator, and its leader is joined with
/// the program's. All functions append what is to be done to `out`. `live`: the resize is not given
/// up; nobody is told to meet groups that are being ended.
class Newcomers {
  public:
    Newcomers() = default;  ///< for fields() to fill
    Newcomers(const ResizePlan& plan, bool lost_before);

    // ---- coming up ----
    void start(const ResizePlan& plan, Effects& out);
    /// True when the ranks can be told to spawn; the journal has to know it first.
    bool prepared(const HostPrepared& event, Effects& out);
    /// After the journal has it.
    void order_spawns(const ResizePlan& plan, Effects& out);
    void up(const RankUp& event, bool live, Effects& out);
    void ready(const GroupReady& event, bool live, Effects& out);
    void round_done(const RoundDone& event, bool live, Effects& out);
    void formed() { connector_.formed(); }
    [[nodiscard]] bool all_ready() const { return connector_.all_ready(); }
    [[nodiscard]] bool is_formed() const { return connector_.is_formed(); }

    // ---- ranks that start others ----
    void spawn_asked(const SpawnAsked& event, bool live, Effects& out);
    void gate(core::GroupId group, bool ok, Effects& out) { callers_.answer(group, ok, out); }
    void spawn_returned(const SpawnReturned& event, const ResizePlan& plan, bool live,
                        Effects& out);
    /// True when this process had a part in a start that will not be finished now.
    bool process_ended(const core::Process& process);
    void help_spawn(core::GroupId group, Effects& out) { callers_.help(group, out); }
    [[nodiscard]] bool spawns_done() const { return tracker_ && tracker_->is_done(); }
    [[nodiscard]] bool is_spawning() const { return tracker_ && !tracker_->open().empty(); }
    [[nodiscard]] bool has_spawns() const { return tracker_.has_value(); }

    // ---- the leaders' bridge ----
    void port_opened(const std::string& port, Effects& out);
    void connect_if_possible(Effects& out);
    void accept(Effects& out);
    [[nodiscard]] LeadersBridge& bridge() { return bridge_; }
    [[nodiscard]] const LeadersBridge& bridge() const { return bridge_; }
    void bridged(const Bridged& event, bool by_leader, bool by_newcomer, Effects& out);
    [[nodiscard]] bool is_joined() const { return bridge_.is_joined() && merging_.empty(); }

    // ---- the end of a resize that is given up ----
    /// Ends them, or begins with what must come first: a process that waits for them inside MPI
    /// must come out.
    void end(Effects& out);
    /// Continues with that, if it was begun and nobody waits for them any more.
    void end_if_possible(Effects& out);
    [[nodiscard]] bool end_is_due() const { return end_due_; }
    /// The wait was too long. False: a spawn does not return.
    [[nodiscard]] bool end_late(Effects& out);
    void await_spawns(Effects& out) const;
    /// One of them is lost.
    void lost() { lost_ = true; }
    /// Is a process inside MPI, waiting for newcomers that must not be killed now?
    [[nodiscard]] bool is_awaited() const;
    void gone(core::GroupId group, Effects& out);
    [[nodiscard]] bool all_gone() const { return alive_.empty(); }
    /// Another broker: agents have answered all open spawns with an error.
    void taken_over(std::set<core::GroupId> alive, bool accepting);
    /// For messages: "rank g0.1 is inside MPI_Comm_spawn for group g3 on node1, node2".
    [[nodiscard]] std::string open_spawn(const ResizePlan& plan) const;

    bool operator==(const Newcomers&) const = default;
    template <class V>
    void fields(V& v) {
        v("connector", connector_), v("tracker", tracker_), v("callers", callers_);
        v("merging", merging_), v("bridge", bridge_), v("alive", alive_), v("end_due", end_due_);
        v("lost", lost_);
    }

  private:
    void meet(const std::vector<MeetOrder>& orders, bool live, Effects& out) const;

    GroupConnector connector_;
    std::optional<SpawnTracker> tracker_;  ///< where ranks start the groups
    SpawnCallers callers_;
    std::set<core::Process> merging_;  ///< whose spawn becomes the bridge
    LeadersBridge bridge_;
    std::set<core::GroupId> alive_;  ///< groups of which something may be left
    bool end_due_ = false;           ///< they are to be ended once nobody waits for them
    bool lost_ = false;
};

}  // namespace ductile::resize
