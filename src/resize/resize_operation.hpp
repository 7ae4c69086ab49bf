// One resize, from its acceptance to its end: events in, effects out. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "resize/effect.hpp"
#include "resize/newcomers.hpp"
#include "resize/program_work.hpp"
#include "resize/resize_plan.hpp"
#include "resize/resize_state.hpp"

namespace ductile::resize {

/// The exit code of a job that ends for a reason without an exit code of a rank.
inline constexpr int code_lost = 125;

/// Whether the processes can be joined again after a resize (docs/behaviour.md, "Limits").
enum class Health {
    good,
    helper,  ///< a helper thread is stuck inside MPI: a growth must replace these processes
    final    ///< the leader must not accept again, or the processes could not be replaced
};

/// For the record of a resize.
struct ResizeSummary {
    SwitchReport switched;
    std::int64_t point = 0;
    double spawn_s = 0;  ///< its longest MPI_Comm_spawn
    std::string why;     ///< the reason of a rollback
    bool operator==(const ResizeSummary&) const = default;
    template <class V>
    void fields(V& v) {
        v("switched", switched), v("point", point), v("spawn_s", spawn_s), v("why", why);
    }
};

/// A newcomer that was lost.
struct LostNewcomer {
    std::string why;
    int code = 0;  ///< the exit code of the job if the job ends because of this loss
    bool operator==(const LostNewcomer&) const = default;
    template <class V>
    void fields(V& v) {
        v("why", why), v("code", code);
    }
};

/// The whole state of a resize.
struct ResizeCourse {
    /// What to do as soon as the step is in the journal.
    enum class Due { nothing, start, spawn, ask, announce, accept };

    ResizePlan plan;
    State state;
    std::optional<Newcomers> newcomers;
    ProgramWork program;
    std::optional<LostNewcomer> lost;
    ResizeSummary summary;
    // The next two are facts for the health of the job after the resize. They do not affect what an
    // event does.
    bool accept_stuck = false;  ///< the leader's accept did not end as it should
    bool voted = false;         ///< all sources have reported, and the resize was not committed
    Due due = Due::nothing;

    bool operator==(const ResizeCourse&) const = default;
    template <class V>
    void fields(V& v) {
        v("plan", plan), v("state", state), v("newcomers", newcomers), v("lost", lost);
        v("program", program);
        v("summary", summary), v("accept_stuck", accept_stuck);
        v("voted", voted), v("due", due);
    }
    /// Why the resize was given up; empty if it was not.
    [[nodiscard]] std::string given_up_why() const;
};

/// The start of a job, a growth, a shrink, a renewal, and the return of parked ranks: all are paths
/// through the same states.
///
/// - a growth or renewal in the background: Starting (which includes a join in the background),
///   Agreeing, Waiting, Switching, Done;
/// - a blocking growth or renewal: Agreeing, Waiting, Starting, Switching, Done;
/// - a shrink, and the return of parked ranks: Agreeing, Waiting, Switching, Done;
/// - a job's start: Starting, Done.
///
/// A resize that is given up before the point is announced: Undoing -> Done. If it is given up
/// later: Abandoned (the sources vote no) -> Undoing -> Done; or Abandoned -> Done, if the sources
/// had agreed already. If the sources vote no by themselves: Switching -> Undoing -> Done.
class ResizeOperation {
  public:
    ResizeOperation() = default;  ///< filled by fields()
    explicit ResizeOperation(ResizePlan plan) { course_.plan = std::move(plan); }

    /// Takes any event in any state. An event that makes no sense in the present state (late,
    /// repeated, of a process without a part in the resize) changes nothing. Throws InputError if a
    /// message from outside contradicts the plan. Then nothing has changed.
    void on(const Event& event, Effects& out);

    [[nodiscard]] const ResizePlan& plan() const { return course_.plan; }
    [[nodiscard]] const State& state() const { return course_.state; }
    /// For a user: "starting", "preparing", ...
    [[nodiscard]] std::string phase() const;
    /// Whether the resize adds this group to a running job, and is neither committed, undoing nor
    /// done.
    [[nodiscard]] bool is_newcomer(core::GroupId group) const;
    /// Whether the resize adds this group to a running job, and is not committed.
    [[nodiscard]] bool is_added(core::GroupId group) const;
    [[nodiscard]] bool is_committed() const;
    [[nodiscard]] bool is_undoing() const { return std::holds_alternative<Undoing>(course_.state); }
    /// Whether the resize is not over, but cannot be undone any more: a switch with tight memory.
    [[nodiscard]] bool is_certain() const;
    /// Whether the switch has not begun.
    [[nodiscard]] bool may_be_called_off() const {
        return std::holds_alternative<Starting>(course_.state) ||
               std::holds_alternative<Agreeing>(course_.state) ||
               std::holds_alternative<Waiting>(course_.state);
    }
    /// Whether the sources may have been told a point. Then they may have committed without a
    /// report to us.
    [[nodiscard]] bool may_have_switched() const {
        if (const auto* starting = std::get_if<Starting>(&course_.state))
            return starting->at_point.has_value();
        return !std::holds_alternative<Agreeing>(course_.state);
    }
    [[nodiscard]] bool is_over() const { return std::holds_alternative<Done>(course_.state); }
    [[nodiscard]] const std::optional<LostNewcomer>& lost() const { return course_.lost; }
    /// Whether an abort connector may be connecting in the place of a lost newcomer.
    [[nodiscard]] bool is_helped() const;
    [[nodiscard]] const ResizeSummary& summary() const { return course_.summary; }
    [[nodiscard]] Health health_after(Health before) const;

    bool operator==(const ResizeOperation&) const = default;
    template <class V>
    void fields(V& v) {
        course_.fields(v);
    }

  private:
    ResizeCourse course_;
};

}  // namespace ductile::resize
