// Groups that ranks start by MPI_Comm_spawn: which ranks must call it, which ranks are inside it,
// and which call becomes the leaders' bridge. Pure.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "resize/effect.hpp"
#include "resize/resize_plan.hpp"
#include "resize/spawn_callers.hpp"
#include "resize/spawn_tracker.hpp"

namespace ductile::resize {

/// How long MPI_Comm_spawn waits for ranks that neither start nor end. The same limit holds for
/// calls by which the program starts its own processes.
inline constexpr std::chrono::seconds spawn_within{60};

class GroupSpawns {
  public:
    GroupSpawns() = default;  ///< filled by fields()
    explicit GroupSpawns(const ResizePlan& plan)
        : tracker_(plan.strategy.start, plan.before, plan.spawns, plan.added) {}

    /// Returns true if every host can now start its part. Then the ranks can be told to spawn.
    bool prepared(const HostPrepared& event);
    /// Orders all calls together. If a process does not run yet, its agent keeps the order for it.
    void order(const ResizePlan& plan, Effects& out);
    void asked(const SpawnAsked& event, bool wanted, Effects& out);
    void returned(const SpawnReturned& event, const ResizePlan& plan);
    /// Returns true if this process took part in a start that cannot be finished now.
    bool process_ended(const core::Process& process);
    /// All ranks of the group of this process wait for the merge. Tells the processes that have
    /// started the group to merge.
    void ready_to_merge(const core::Process& process, Effects& out);
    /// A process has returned from the merge that follows its spawn.
    void merged(const core::Process& process) {
        merging_.erase(process);
        callers_.merged(process);
    }
    /// Answers the MPI_Comm_spawn for this group. An error after a good answer means that the ranks
    /// of the group are lost.
    void answer(core::GroupId starts, bool ok, Effects& out) { callers_.answer(starts, ok, out); }
    void help(core::GroupId starts, Effects& out) { callers_.help(starts, out); }

    /// Gives up all open calls: tells the newcomers, and answers the callers that still wait for an
    /// answer. `lost`: a newcomer is lost.
    void call_off(bool lost, Effects& out);
    /// Limits the time until the next open call must return.
    void await(bool lost, Effects& out) const;
    /// Called when that time has passed. Returns false if no caller could be helped.
    [[nodiscard]] bool help_all(bool lost, Effects& out);
    /// Forgets the processes whose merge with the newcomers does not end. These processes stay in
    /// the merge.
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
        v("merge_ordered", merge_ordered_);
    }

  private:
    SpawnTracker tracker_;
    SpawnCallers callers_;
    std::set<core::Process> merging_;  ///< processes whose spawn becomes the bridge
    bool merge_ordered_ = false;       ///< these processes have been told to merge
};

}  // namespace ductile::resize
