// The MPI_Comm_spawn calls of one resize. Pure: which have returned, and which are open.
#pragma once

#include <compare>
#include <set>
#include <vector>

#include "core/layout.hpp"
#include "plan/methods.hpp"
#include "plan/spawn_schedule.hpp"

namespace ductile::resize {

/// The part of one process in the start of a group. In a collective start every source has a part.
struct SpawnCall {
    core::GroupId caller;
    core::Rank rank;  ///< the rank in its MPI_COMM_WORLD
    core::GroupId starts;
    auto operator<=>(const SpawnCall&) const = default;
    template <class V>
    void fields(V& v) {
        v("caller", caller), v("rank", rank), v("starts", starts);
    }
};

/// A spawn that hangs cannot be cancelled. So first every host on which ranks will start confirms
/// that it can start them. Then each caller makes its calls one after the other.
class SpawnTracker {
  public:
    SpawnTracker() = default;  ///< filled by fields()
    SpawnTracker(plan::Start start, const core::Layout& sources,
                 const std::vector<plan::Spawn>& spawns, const std::vector<core::Group>& added);

    /// This host can start its part of the group. Throws InputError if the host was not asked, or
    /// has confirmed this before.
    void expecting(core::HostIndex host, core::GroupId group);
    [[nodiscard]] bool all_expecting() const { return looks_.empty(); }

    [[nodiscard]] const std::vector<plan::Spawn>& spawns() const { return spawns_; }
    /// The calls, in the order in which each caller makes them.
    [[nodiscard]] const std::vector<SpawnCall>& calls() const { return calls_; }
    /// The callers have been told to make their calls.
    void begin();
    /// Throws InputError if this call is not open.
    void ended(const SpawnCall& call);
    /// This process has ended, or was never started. It makes no further calls. The processes that
    /// it would have started make no calls either. Returns true if it had open calls.
    bool gone(core::GroupId caller, core::Rank rank);
    /// Calls that have been ordered and have not returned.
    [[nodiscard]] const std::set<SpawnCall>& open() const { return open_; }
    /// Whether all calls have been ordered and have returned.
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
    std::set<SpawnCall>
        forgone_;  ///< no longer awaited, but a process may still have made these calls
    bool begun_ = false;
};

}  // namespace ductile::resize
