// One resize, from its acceptance to its end: events in, effects out. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "resize/effect.hpp"
#include "resize/newcomers.hpp"
#include "resize/program_news.hpp"
#include "resize/resize_plan.hpp"
#include "resize/resize_state.hpp"

namespace ductile::resize {

/// The exit code of a job that ends for a reason that no rank gives.
inline constexpr int code_lost = 125;

/// What a resize has done to the processes' ability to be joined again (design, section 4,
/// "Renewal").
enum class Health {
    good,
    helper,  ///< a helper thread is stuck inside MPI: they may be replaced, not added to
    final    ///< the leader is not to accept again, or could not be replaced
};

/// For the record of a resize.
struct ResizeSummary {
    SwitchReport switched;
    std::int64_t point = 0;
    double spawn_s = 0;  ///< its longest call of MPI_Comm_spawn
    std::string why;     ///< of a rollback
    bool operator==(const ResizeSummary&) const = default;
    template <class V>
    void fields(V& v) {
        v("switched", switched), v("point", point), v("spawn_s", spawn_s), v("why", why);
    }
};

/// A newcomer that was lost.
struct LostNewcomer {
    std::string why;
    int code = 0;  ///< with which the job ends if it comes to that
    bool operator==(const LostNewcomer&) const = default;
    template <class V>
    void fields(V& v) {
        v("why", why), v("code", code);
    }
};

/// All that a resize is.
struct ResizeCourse {
    /// What is done as soon as the journal has it.
    enum class Due { nothing, start, spawn, ask, announce, accept };

    ResizePlan plan;
    State state;
    std::optional<Newcomers> newcomers;
    ProgramNews program;
    std::optional<LostNewcomer> lost;
    ResizeSummary summary;
    // What has happened in any state, for the message and the job's health afterwards. The state
    // alone says what an event does.
    bool accept_stuck = false;  ///< the leader's accept did not end as it should
    bool voted = false;         ///< all sources have reported, and it was not committed
    Due due = Due::nothing;

    bool operator==(const ResizeCourse&) const = default;
    template <class V>
    void fields(V& v) {
        v("plan", plan), v("state", state), v("newcomers", newcomers), v("lost", lost);
        v("program", program);
        v("summary", summary), v("accept_stuck", accept_stuck);
        v("voted", voted), v("due", due);
    }
    /// Why it was given up; empty: it was not.
    [[nodiscard]] std::string given_up_why() const;
};

/// The start of a job, a growth, a shrink, a renewal, the return of parked ranks; blocking or in
/// the background: all are paths through the same states.
///
///     background:  Starting (at its end the join, if that is in the background) -> Agreeing ->
///     Waiting -> Switching -> Done blocking:    Agreeing -> Waiting -> Starting -> Switching ->
///     Done shrink:      Agreeing -> Waiting -> Switching -> Done job's start: Starting -> Done
///
/// Given up before the point is announced: Undoing -> Done. After that: Abandoned (the sources vote
/// no) -> Undoing -> Done, or Done, when they had agreed already.
class ResizeOperation {
  public:
    ResizeOperation() = default;  ///< for fields() to fill
    explicit ResizeOperation(ResizePlan plan) { course_.plan = std::move(plan); }

    /// Any event in any state: one that makes no sense there (late, twice, of a stranger) changes
    /// nothing. Throws InputError when a word from outside contradicts the plan; nothing has
    /// changed then.
    void on(const Event& event, Effects& out);

    [[nodiscard]] const ResizePlan& plan() const { return course_.plan; }
    [[nodiscard]] const State& state() const { return course_.state; }
    /// For a user: "starting", "preparing", ...
    [[nodiscard]] std::string phase() const;
    /// Of a resize that is not given up, and not committed.
    [[nodiscard]] bool is_newcomer(core::GroupId group) const;
    /// Of a resize that is not committed.
    [[nodiscard]] bool is_added(core::GroupId group) const;
    [[nodiscard]] bool is_committed() const;
    [[nodiscard]] bool is_undoing() const { return std::holds_alternative<Undoing>(course_.state); }
    /// Nobody can call it off any more, though it is not over.
    [[nodiscard]] bool is_certain() const;
    /// Before the program stands at the point.
    [[nodiscard]] bool may_be_called_off() const {
        return std::holds_alternative<Starting>(course_.state) ||
               std::holds_alternative<Agreeing>(course_.state) ||
               std::holds_alternative<Waiting>(course_.state);
    }
    /// The sources were told of a point, so they may have committed without a word to us.
    [[nodiscard]] bool may_have_switched() const {
        if (const auto* starting = std::get_if<Starting>(&course_.state))
            return starting->at_point.has_value();
        return !std::holds_alternative<Agreeing>(course_.state);
    }
    [[nodiscard]] bool is_over() const { return std::holds_alternative<Done>(course_.state); }
    [[nodiscard]] const std::optional<LostNewcomer>& lost() const { return course_.lost; }
    /// A process of ours may be connecting in the place of a lost newcomer.
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
