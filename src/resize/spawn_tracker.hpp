// The calls of MPI_Comm_spawn of one resize. Pure: what has come in, what is still open.
#pragma once

#include <compare>
#include <set>
#include <vector>

#include "core/layout.hpp"
#include "plan/methods.hpp"
#include "plan/spawn_schedule.hpp"

namespace ductile::resize {

/// One process's part in the start of a group; in a collective start every source has one.
struct SpawnCall {
    core::GroupId caller;
    core::Rank rank;  ///< in its MCW
    core::GroupId starts;
    auto operator<=>(const SpawnCall&) const = default;
    template <class V>
    void fields(V& v) {
        v("caller", caller), v("rank", rank), v("starts", starts);
    }
};

/// A spawn that hangs cannot be called off, so first every host on which ranks are to start says
/// that it can; then each caller makes its calls one after the other.
class SpawnTracker {
  public:
    SpawnTracker() = default;  ///< for fields() to fill
    SpawnTracker(plan::Start start, const core::Layout& sources,
                 const std::vector<plan::Spawn>& spawns, const std::vector<core::Group>& added);

    /// This host can start its part of the group. Throws InputError when that was not asked.
    void expecting(core::HostIndex host, core::GroupId group);
    [[nodiscard]] bool all_expecting() const { return looks_.empty(); }

    [[nodiscard]] const std::vector<plan::Spawn>& spawns() const { return spawns_; }
    /// In the order in which each caller makes them.
    [[nodiscard]] const std::vector<SpawnCall>& calls() const { return calls_; }
    /// The callers have been told.
    void begin();
    /// Throws InputError when this call is not open.
    void ended(const SpawnCall& call);
    /// This process has ended, or was never started: what it has not begun it never will, nor will
    /// those begin anything whom it would have started. True when it had open calls.
    bool gone(core::GroupId caller, core::Rank rank);
    /// Calls that have been ordered and have not returned.
    [[nodiscard]] const std::set<SpawnCall>& open() const { return open_; }
    /// All have been ordered and have returned.
    [[nodiscard]] bool is_done() const { return begun_ && open_.empty(); }

    bool operator==(const SpawnTracker&) const = default;
    template <class V>
    void fields(V& v) {
        v("spawns", spawns_), v("looks", looks_), v("calls", calls_), v("open", open_);
        v("forgone", forgone_), v("begun", begun_);
    }

  private:
    void forgo(core::GroupId group);

    std::vector<plan::Spawn> spawns_;
    std::set<std::pair<core::HostIndex, core::GroupId>> looks_;
    std::vector<SpawnCall> calls_;
    std::set<SpawnCall> open_;
    std::set<SpawnCall> forgone_;  ///< nobody waits for them, but who was there may have made them
    bool begun_ = false;
};

}  // namespace ductile::resize
