#include "resize/resize_operation.hpp"

#include <algorithm>
#include <utility>

#include "resize/resize_steps.hpp"

namespace ductile::resize {

namespace {

using Due = ResizeCourse::Due;

bool is_committed(const ResizeCourse& course) {
    const auto* done = std::get_if<Done>(&course.state);
    const auto* announced = announced_in(course.state);
    return (done != nullptr && done->committed) ||
           (announced != nullptr && announced->reports.sum().committed);
}

bool is_newcomer(const ResizeCourse& course, core::GroupId group) {
    const bool over =
        std::holds_alternative<Undoing>(course.state) || std::holds_alternative<Done>(course.state);
    return course.plan.adds(group) && !course.plan.starts_job() && !over && !is_committed(course);
}

bool is_leader(const ResizeCourse& course, const core::Process& process) {
    return !course.plan.before.empty() && course.plan.before.at(core::Rank{0}) == process;
}

// Whether the process is a source or a new rank.
bool has_part(const ResizeCourse& course, const core::Process& process) {
    const auto is_of = [&process](const core::Group& group) {
        return group.id == process.group && process.rank.value >= 0 &&
               process.rank.value < group.ranks;
    };
    return course.plan.before.rank_of(process) || std::ranges::any_of(course.plan.added, is_of);
}

// Whether the process is a parked rank that comes back.
bool returns(const ResizeCourse& course, const core::Process& process) {
    return core::holds(course.plan.change().returning, process);
}

// Whether the program's part has failed on this process after the commit. If the data move after
// the commit, these processes send no RankFailed between the announcement and the commit: a failure
// in this time makes them vote no.
bool has_failed_late(const ResizeCourse& course, const core::Process& process) {
    return moves_after_commit(course) && announced_in(course.state) != nullptr &&
           (course.plan.before.rank_of(process) || returns(course, process));
}

void take_work(ResizeCourse& course, const Progressed& progressed, Effects& out) {
    if (progressed.work == Work::prepares || progressed.work == Work::has_prepared)
        return take_preparing(course, progressed, out);
    if (progressed.work == Work::commits) {
        if (is_leader(course, progressed.process)) take_commit(course, out);
        return;
    }
    if (announced_in(course.state) == nullptr ||
        !(returns(course, progressed.process) || has_part(course, progressed.process)))
        return;
    if (progressed.work == Work::has_moved) return course.program.end_moving(progressed.process);
    const std::chrono::duration<double> within(course.plan.times.limits.own_moves_s);
    if (course.program.begin_moving() && within.count() > 0)
        out.push_back(ArmTimer{Timer::own_moves, within});
}

// The sources may have committed already. With tight memory each part of the data then exists only
// once, so nothing can be undone.
bool is_certain(const ResizeCourse& course) {
    return std::holds_alternative<Switching>(course.state) && course.plan.commits_before_data();
}

void switch_within_passed(ResizeCourse& course, Effects& out) {
    if (!is_wanted(course) || std::holds_alternative<Switching>(course.state)) return;
    const auto& program = course.program;
    give_up(course,
            program.anybody_prepares()
                ? "the program's on_prepare function has not ended on " + program.who_prepares() +
                      " within --switch-within"
                : "the program reached no resize point within --switch-within",
            out);
}

// A call of MPI_Comm_spawn is no longer open.
void spawns_moved(ResizeCourse& course, Effects& out) {
    if (!course.newcomers->spawns()->are_done()) return;
    out.push_back(Mark{"spawned"});
    continue_ending(course, out);
    if (is_live(course)) course.newcomers->connect_if_possible(out);
}

void answer_spawn(ResizeCourse& course, core::GroupId group, bool ok, Effects& out) {
    if (course.newcomers && course.newcomers->spawns() != nullptr)
        course.newcomers->spawns()->answer(group, ok, out);
}

// One handler for each event. The course is not Done, except for TakenOver.
struct Handler {
    ResizeCourse& course;
    Effects& out;

    void operator()(const Begin&) const {
        if (course.newcomers || announced_in(course.state) != nullptr || !is_wanted(course)) return;
        if (course.due != Due::nothing || std::holds_alternative<Agreeing>(course.state)) return;
        if (const double within = course.plan.times.switch_within_s; within > 0)
            out.push_back(ArmTimer{Timer::switch_within, std::chrono::duration<double>(within)});
        if (course.plan.starts_job() || (!course.plan.added.empty() && !course.plan.is_blocking()))
            start_groups(course, out);
        else
            ask_for_point(course, out);
    }
    void operator()(const Recorded&) const { continue_recorded(course, out); }
    void operator()(const NotRecorded& event) const {
        switch (std::exchange(course.due, Due::nothing)) {
            case Due::nothing:
                return;
            case Due::announce:
                return roll_back(course, event.why, out);
            case Due::accept:
                course.newcomers->bridge().accept_over();
                [[fallthrough]];
            default:
                return give_up(course, event.why, out);
        }
    }

    void operator()(const RankUp& event) const {
        if (!is_live(course) || !course.plan.adds(event.process.group)) return;
        course.newcomers->up(event, out);
        advance_stage(course, out);
    }
    void operator()(const GroupReady& event) const {
        if (!is_live(course) || !course.plan.adds(event.group)) return;
        course.newcomers->ready(event, out);
        advance_stage(course, out);
    }
    void operator()(const RoundDone& event) const {
        if (!is_live(course) || !course.plan.adds(event.leading)) return;
        course.newcomers->round_done(event, out);
    }
    void operator()(const Formed& event) const {
        if (!is_live(course) || !course.plan.adds(event.process.group)) return;
        if (course.newcomers->connector().is_formed()) return;
        course.newcomers->connector().formed();
        advance_stage(course, out);
    }
    void operator()(const NewcomerLost& event) const {
        if (course.plan.starts_job() || is_committed(course) ||
            std::holds_alternative<Undoing>(course.state))
            return;
        if (!course.lost)
            course.lost = LostNewcomer{event.why, event.code != 0 ? event.code : code_lost};
        if (course.newcomers) course.newcomers->lost();
        give_up(course, event.why, out);
    }
    void operator()(const ProcessEnded& event) const {
        if (!course.newcomers) return;
        const bool newcomer = is_newcomer(course, event.process.group);
        const bool added = course.plan.adds(event.process.group) && !is_committed(course);
        if (auto* spawns = course.newcomers->spawns()) {
            if (spawns->process_ended(event.process)) spawns_moved(course, out);
            if (added) spawns->help(event.process.group, out);
        }
        if (newcomer) (*this)(NewcomerLost{event.what, event.code});
    }
    void operator()(const GroupGone& event) const {
        if (!course.newcomers || !course.plan.adds(event.group)) return;
        course.newcomers->gone(event.group, out);
        finish_undoing(course, out);
    }

    void operator()(const HostPrepared& event) const {
        auto* spawns = course.newcomers ? course.newcomers->spawns() : nullptr;
        if (spawns == nullptr || !is_live(course) || !course.plan.adds(event.group)) return;
        if (!spawns->prepared(event)) return;
        out.push_back(Mark{"looked"});
        course.due = Due::spawn;
        out.push_back(Record{"ranks are to start the new groups", true});
    }
    void operator()(const SpawnAsked& event) const {
        auto* spawns = course.newcomers ? course.newcomers->spawns() : nullptr;
        if (spawns == nullptr) return out.push_back(AnswerSpawn{event.host, event.caller, false});
        const auto group = std::ranges::find(course.plan.added, event.starts, &core::Group::id);
        const bool wanted = is_live(course) && group != course.plan.added.end() &&
                            group->ranks == event.ranks &&
                            course.newcomers->alive().contains(group->id);
        spawns->asked(event, wanted, out);
    }
    void operator()(const GateReached& event) const {
        answer_spawn(course, event.group, true, out);
    }
    void operator()(const GateLost& event) const { answer_spawn(course, event.group, false, out); }
    void operator()(const SpawnReturned& event) const {
        if (!course.newcomers || course.newcomers->spawns() == nullptr) return;
        course.newcomers->spawn_returned(event, course.plan, is_live(course), out);
        course.summary.spawn_s = std::max(course.summary.spawn_s, event.seconds);
        if (!event.ok && is_wanted(course))
            return give_up(course,
                           "rank " + core::to_string(event.caller) + " could not start group g" +
                               std::to_string(event.starts.value) + ": " + event.why,
                           out);
        spawns_moved(course, out);
    }

    void operator()(const PortOpened& event) const {
        if (!is_live(course) || !is_leader(course, event.process)) return;
        // The newcomers may have the port that the leader named first. It is not replaced.
        if (!course.newcomers->bridge().port().empty()) return;
        course.newcomers->bridge().opened(event.port);
        course.newcomers->connect_if_possible(out);
    }
    void operator()(const ConnectStarting& event) const {
        if (!is_live(course) || !course.newcomers->bridge().is_connecting()) return;
        if (event.process != course.newcomers->bridge().connector()) return;
        course.newcomers->bridge().accept_begins();
        course.due = Due::accept;
        out.push_back(Record{"the leaders are joined", true});
    }
    void operator()(const ReadyToMerge& event) const {
        if (is_live(course)) course.newcomers->ready_to_merge(event.process, out);
    }
    void operator()(const Bridged& event) const {
        if (!course.newcomers || !has_part(course, event.process)) return;
        const bool newcomer = is_newcomer(course, event.process.group);
        course.newcomers->bridged(event, is_leader(course, event.process), newcomer, out);
        course.accept_stuck = course.accept_stuck || event.degraded;
        continue_ending(course, out);
        if (!is_wanted(course)) return;
        if (!event.ok)
            return give_up(course,
                           course.program.is_ending()
                               ? "the program has ended"
                               : "the leaders could not be joined: " + event.why,
                           out);
        advance_stage(course, out);
    }

    void operator()(const SourceJoined& event) const {
        if (!course.newcomers || !course.plan.before.rank_of(event.process)) return;
        if (!course.newcomers->join().ended(event.process)) return;
        course.summary.switched.degraded = course.summary.switched.degraded || event.degraded;
        if (!event.ok) course.newcomers->lost();
        continue_ending(course, out);
        if (!is_wanted(course)) return;
        if (!event.ok)
            return give_up(course,
                           "rank " + core::to_string(event.process) +
                               " could not be joined with the new ranks: " + event.why,
                           out);
        advance_stage(course, out);
    }

    void operator()(const PointAnswered& event) const { take_answer(course, event, out); }
    void operator()(const Arrived& event) const {
        if (is_leader(course, event.process)) arrive(course, out);
    }
    void operator()(const Progressed& event) const {
        if (event.work != Work::step) return take_work(course, event, out);
        if (course.plan.adds(event.process.group)) return newcomer_progressed(course, out);
        if (!course.plan.before.rank_of(event.process)) return;
        if (const auto* starting = std::get_if<Starting>(&course.state);
            starting != nullptr && starting->stage == Starting::Stage::joining)
            return restart_join_timer(out);
        const auto* abandoned = std::get_if<Abandoned>(&course.state);
        if (std::holds_alternative<Switching>(course.state) ||
            (abandoned != nullptr && abandoned->at_point))
            out.push_back(ArmTimer{
                Timer::phase, std::chrono::duration<double>(course.plan.times.limits.step_s())});
    }
    void operator()(const SwitchDone& event) const { take_report(course, event, out); }
    void operator()(const RankFailed& event) const {
        if (course.plan.starts_job()) return;
        const bool late = has_failed_late(course, event.process);
        if (!late && !has_part(course, event.process)) return;
        const auto why = "rank " + core::to_string(event.process) + ": " + event.why;
        if (late || is_certain(course) || is_committed(course)) return end_certain(why, out);
        give_up(course, why, out);
    }
    void operator()(const ProgramEnding& event) const {
        course.program.end_program();
        const auto* abandoned = std::get_if<Abandoned>(&course.state);
        const bool at_point = std::holds_alternative<Switching>(course.state) ||
                              (abandoned != nullptr && abandoned->at_point);
        if (course.plan.starts_job() || at_point || std::holds_alternative<Undoing>(course.state))
            return;
        // An announced point is final as long as a rank may still reach it.
        if (announced_in(course.state) == nullptr || event.all)
            roll_back(course, "the program has ended", out);
    }

    void operator()(const TimerFired& event) const {
        switch (event.timer) {
            case Timer::phase:
                return phase_timed_out(course, out);
            case Timer::accept:
                return accept_timed_out(course, out);
            case Timer::newcomers_end:
                return end_timed_out(course, out);
            case Timer::own_moves:
                return own_moves_timed_out(course, out);
            case Timer::switch_within:
                return switch_within_passed(course, out);
        }
    }
    void operator()(const CallOff& event) const {
        if (is_wanted(course) && !course.plan.starts_job() && !is_certain(course))
            give_up(course, event.why, out);
    }
    void operator()(const TakenOver& event) const {
        const bool committed = event.committed || is_committed(course);
        course.due = Due::nothing;
        if (!course.plan.added.empty() && !course.newcomers)
            course.newcomers.emplace(course.plan, course.lost.has_value());
        if (course.newcomers) course.newcomers->taken_over(event.groups, event.accepting);
        if (!committed)
            return undo(course, "its broker died before the program had agreed to it", out);
        const auto* announced = announced_in(course.state);
        const auto point = announced != nullptr ? announced->point : course.summary.point;
        course.summary.point = point;
        course.state = Done{true};
        out.push_back(Commit{point});
        out.push_back(Mark{"done"});
        out.push_back(TellExitPermitted{});
        out.push_back(Finished{true, ""});
    }
};

}  // namespace

bool is_wanted(const ResizeCourse& course) {
    return !std::holds_alternative<Undoing>(course.state) &&
           !std::holds_alternative<Abandoned>(course.state) &&
           !std::holds_alternative<Done>(course.state);
}

bool is_live(const ResizeCourse& course) {
    return course.newcomers && is_wanted(course) && !is_committed(course);
}

bool moves_after_commit(const ResizeCourse& course) {
    return course.plan.added.empty() || course.plan.commits_before_data();
}

std::string ResizeCourse::given_up_why() const {
    if (const auto* abandoned = std::get_if<Abandoned>(&state)) return abandoned->why;
    return summary.why;
}

void ResizeOperation::on(const Event& event, Effects& out) {
    if (is_over() && !std::holds_alternative<TakenOver>(event)) return;
    std::visit(Handler{course_, out}, event);
}

std::string ResizeOperation::phase() const {
    const auto* starting = std::get_if<Starting>(&course_.state);
    const bool may_wait_for_it =
        std::holds_alternative<Agreeing>(course_.state) ||
        (starting != nullptr && starting->stage == Starting::Stage::connecting);
    if (may_wait_for_it && course_.program.anybody_prepares()) return "preparing";
    return to_text(course_.state);
}

bool ResizeOperation::is_certain() const {
    return resize::is_certain(course_);
}

bool ResizeOperation::is_newcomer(core::GroupId group) const {
    return resize::is_newcomer(course_, group);
}

bool ResizeOperation::is_added(core::GroupId group) const {
    return course_.plan.adds(group) && !course_.plan.starts_job() && !is_committed();
}

bool ResizeOperation::is_committed() const {
    return resize::is_committed(course_);
}

bool ResizeOperation::is_helped() const {
    return course_.newcomers && course_.newcomers->is_helped();
}

Health ResizeOperation::health_after(Health before) const {
    if (is_committed()) return course_.plan.replaces_all() ? Health::good : before;
    if (course_.accept_stuck) return Health::final;
    // Degraded processes have only one attempt.
    if (course_.voted && !course_.plan.added.empty() && course_.plan.from_degraded)
        return Health::final;
    return course_.summary.switched.degraded ? std::max(before, Health::helper) : before;
}

}  // namespace ductile::resize
