// Groups that ranks start by MPI_Comm_spawn: who is to call it, who is inside it, and whose call
// becomes the leaders' bridge. Pure.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "resize/effect.hpp"
#include "resize/resize_plan.hpp"
#include "resize/spawn_callers.hpp"
#include "resize/spawn_tracker.hpp"

namespace ductile::resize {

/// How long a call of MPI_Comm_spawn waits for ranks that neither come nor end; that of a program
/// for processes of its own, too.
inline constexpr std::chrono::seconds spawn_within{60};

class GroupSpawns {
  public:
    GroupSpawns() = default;  ///< for fields() to fill
    explicit GroupSpawns(const ResizePlan& plan)
        : tracker_(plan.strategy.start, plan.before, plan.spawns, plan.added) {}

    /// True when every host can start its part, so that the ranks can be told to spawn.
    bool prepared(const HostPrepared& event);
    /// All at once: what a process is told before it runs, its agent keeps for it.
    void order(const ResizePlan& plan, Effects& out);
    void asked(const SpawnAsked& event, bool wanted, Effects& out);
    void returned(const SpawnReturned& event, const ResizePlan& plan);
    /// True when this process had a part in a start that will not be finished now.
    bool process_ended(const core::Process& process);
    /// A process has come out of the merge that its spawn became.
    void merged(const core::Process& process) { merging_.erase(process); }
    /// The answer to MPI_Comm_spawn for this group; an error after a good one: its ranks are lost.
    void answer(core::GroupId starts, bool ok, Effects& out) { callers_.answer(starts, ok, out); }
    void help(core::GroupId starts, Effects& out) { callers_.help(starts, out); }

    /// All that are inside are given up: the newcomers are told, who can be answered is.
    void call_off(bool lost, Effects& out);
    /// Within what time the next one is to return then.
    void await(bool lost, Effects& out) const;
    /// It has not. False when nobody could be helped.
    [[nodiscard]] bool help_all(bool lost, Effects& out);
    /// Who waits in a merge for newcomers that are dead stays there.
    void forget_merges() { merging_.clear(); }

    [[nodiscard]] const std::vector<plan::Spawn>& spawns() const { return tracker_.spawns(); }
    [[nodiscard]] bool are_done() const { return tracker_.is_done(); }
    [[nodiscard]] bool any_open() const { return !tracker_.open().empty(); }
    [[nodiscard]] bool any_merging() const { return !merging_.empty(); }
    /// Precondition: any_open(). For messages: "rank g0.1 is inside of MPI_Comm_spawn for ...".
    [[nodiscard]] std::string open_one(const ResizePlan& plan) const;

    bool operator==(const GroupSpawns&) const = default;
    template <class V>
    void fields(V& v) {
        v("tracker", tracker_), v("callers", callers_), v("merging", merging_);
    }

  private:
    SpawnTracker tracker_;
    SpawnCallers callers_;
    std::set<core::Process> merging_;  ///< whose spawn becomes the bridge
};

}  // namespace ductile::resize
