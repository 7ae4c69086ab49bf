// The steps of a resize that fails: lost newcomers, passed deadlines, and the removal of all that
// it started.
#include <fmt/format.h>

#include <utility>

#include "resize/resize_steps.hpp"

namespace ductile::resize {

namespace {

using namespace std::chrono_literals;

constexpr auto ask_again_after = 1s;
constexpr auto accept_helped_within = 7s;     ///< limits an accept with an abort connector
constexpr auto accept_undone_within = 100ms;  ///< limits an accept whose resize is given up

const char* too_slow(Starting::Stage stage) {
    switch (stage) {
        case Starting::Stage::starting:
            return "the new groups did not start";
        case Starting::Stage::connecting:
            return "the new groups did not become one communicator";
        case Starting::Stage::joining:
            return "the new ranks were not joined with the program";
        case Starting::Stage::bridging:
            break;
    }
    return "the leaders were not joined in time";
}

// The point is announced, so the sources' votes decide. TellAbandon reaches the sources before they
// vote.
void abandon(ResizeCourse& course, const std::string& why, Effects& out) {
    const bool was_waiting = std::holds_alternative<Waiting>(course.state);
    const bool was_switching = std::holds_alternative<Switching>(course.state);
    auto announced = std::move(*announced_in(course.state));
    course.state = Abandoned{std::move(announced), why, !was_waiting};
    out.push_back(TellAbandon{why});
    if (was_switching || course.plan.added.empty()) return;
    out.push_back(DisarmTimer{Timer::phase});
    // The newcomers are ended now: without them the sources cannot commit. In a blocking resize, a
    // source that is inside MPI_Comm_spawn could not vote otherwise, because this call keeps the
    // other threads of the process out of MPI.
    if (course.newcomers) course.newcomers->end(out);
    // The requester need not wait for the point. But in a start inside MPI, a lost host may also
    // take down the processes that started its ranks.
    if (was_waiting && !(course.plan.spawns_groups() && course.lost))
        out.push_back(AnswerEarly{why});
}

}  // namespace

void end_certain(const std::string& why, Effects& out) {
    out.push_back(EndJob{code_lost, why + ", and the resize is certain already; the job is ended"});
}

void give_up(ResizeCourse& course, const std::string& why, Effects& out) {
    if (!is_wanted(course)) return;
    if (announced_in(course.state) == nullptr)
        roll_back(course, why, out);
    else
        abandon(course, why, out);
}

void roll_back(ResizeCourse& course, const std::string& why, Effects& out) {
    if (std::holds_alternative<Agreeing>(course.state)) out.push_back(TellDecision{0});
    undo(course, why, out);
}

void undo(ResizeCourse& course, const std::string& why, Effects& out) {
    course.state = Undoing{why};
    course.summary.why = why;
    course.due = ResizeCourse::Due::nothing;
    if (!course.plan.added.empty()) out.push_back(TellPending{false});
    out.push_back(DisarmTimer{Timer::phase});
    out.push_back(DisarmTimer{Timer::switch_within});
    if (course.newcomers) {
        auto& newcomers = *course.newcomers;
        if (newcomers.join().has_begun()) out.push_back(TellSkipFinalize{});
        newcomers.end(out);
        const auto& bridge = newcomers.bridge();
        if (bridge.is_accepting() && !bridge.is_helped() && !newcomers.end_is_due())
            out.push_back(ArmTimer{Timer::accept, accept_undone_within});
    }
    finish_undoing(course, out);
}

void finish_undoing(ResizeCourse& course, Effects& out) {
    const auto* undoing = std::get_if<Undoing>(&course.state);
    if (undoing == nullptr) return;
    if (course.newcomers &&
        (course.newcomers->bridge().is_accepting() || course.newcomers->join().is_open() ||
         course.newcomers->is_awaited() || !course.newcomers->alive().empty()))
        return;
    const auto why = undoing->why;
    course.state = Done{false};
    out.push_back(Finished{false, why, true});
}

void continue_ending(ResizeCourse& course, Effects& out) {
    if (course.newcomers) course.newcomers->end_if_possible(out);
    finish_undoing(course, out);
}

void phase_timed_out(ResizeCourse& course, Effects& out) {
    if (auto* agreeing = std::get_if<Agreeing>(&course.state)) {
        if (!agreeing->agreement) return ask_for_point(course, out);
        // A rank that does not answer is stopped, for example by a debugger. That is no failure:
        // let the other ranks continue, and ask again.
        agreeing->agreement.reset();
        out.push_back(TellDecision{0});
        out.push_back(ArmTimer{Timer::phase, ask_again_after});
    } else if (const auto* starting = std::get_if<Starting>(&course.state)) {
        if (!course.plan.starts_job()) give_up(course, too_slow(starting->stage), out);
    } else if (std::holds_alternative<Switching>(course.state) ||
               std::holds_alternative<Abandoned>(course.state)) {
        out.push_back(
            EndJob{code_lost,
                   "a switch did not end in time, and MPI cannot be used any more; the job is "
                   "ended"});
    }
}

// The leader's accept does not return. An abort connector connects in the newcomer's place.
void accept_timed_out(ResizeCourse& course, Effects& out) {
    if (!course.newcomers || !course.newcomers->bridge().is_accepting()) return;
    auto& bridge = course.newcomers->bridge();
    if (!bridge.is_helped()) {
        bridge.accept_helped();
        out.push_back(ArmTimer{Timer::accept, accept_helped_within});
        out.push_back(ConnectAndAbort{bridge.port(), std::nullopt});
        return course.newcomers->end_if_possible(out);
    }
    bridge.accept_over();  // the abort connector has failed, too: the accept cannot be ended
    course.accept_stuck = true;
    continue_ending(course, out);
    give_up(course, "the leader's accept could not be ended; the job is degraded", out);
}

void own_moves_timed_out(ResizeCourse& course, Effects& out) {
    const auto missing = course.program.who_has_not_moved(course.plan);
    const auto* announced = announced_in(course.state);
    if (missing.empty() || announced == nullptr) return;
    const auto why = fmt::format(
        "the program's function that moves its own data has not ended on {} within {:g} s "
        "(--redistribute-within)",
        missing, course.plan.times.limits.own_moves_s);
    if (moves_after_commit(course)) return end_certain(why, out);
    if (!announced->reports.sum().committed) give_up(course, why, out);
}

namespace {

// Sources are still in a join although its newcomers have been ended.
void leave_stuck_helpers(ResizeCourse& course, Effects& out) {
    if (!course.newcomers->join().is_open()) return;
    course.newcomers->join().forget();
    course.summary.switched.degraded = true;
    finish_undoing(course, out);
}

}  // namespace

void end_timed_out(ResizeCourse& course, Effects& out) {
    if (!course.newcomers) return;
    if (!course.newcomers->end_is_due()) return leave_stuck_helpers(course, out);
    const auto& bridge = course.newcomers->bridge();
    if (bridge.is_accepting() && !bridge.is_helped()) return accept_timed_out(course, out);
    const auto* spawns = course.newcomers->spawns();
    const bool joining = course.newcomers->join().is_open();
    const bool merging = !joining && (spawns == nullptr || !spawns->any_open());
    if (!course.newcomers->end_late(out))
        return out.push_back(EndJob{
            code_lost, fmt::format("a resize that was given up ({}) could not be undone: {}, which "
                                   "does not return; the job is ended",
                                   course.given_up_why(), spawns->open_one(course.plan))});
    if (merging) course.summary.switched.degraded = true;
    finish_undoing(course, out);
}

}  // namespace ductile::resize
