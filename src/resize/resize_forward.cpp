// The steps of a resize from the start of new groups, or the first Prepare, to the commit.
#include <utility>

#include "ductile/error.hpp"
#include "resize/resize_steps.hpp"

namespace ductile::resize {

namespace {

using namespace std::chrono_literals;
using Due = ResizeCourse::Due;
using Stage = Starting::Stage;

constexpr auto ready_within = 60s;
constexpr auto form_within = 30s;
constexpr auto bridge_within = 10s;
constexpr auto join_within = 15s;
constexpr auto answer_within = 5s;
constexpr auto accept_within = 1s;  ///< after this an abort connector ends the accept

void record_then(ResizeCourse& course, Due due, std::string step, Effects& out) {
    course.due = due;
    out.push_back(Record{std::move(step), true});
}

void launch(ResizeCourse& course, Effects& out) {
    course.newcomers->start(course.plan, out);
    out.push_back(Mark{"launched"});
    if (course.plan.starts_job()) return;
    out.push_back(ArmTimer{Timer::phase, ready_within});
    if (!course.plan.is_blocking()) out.push_back(TellPending{true});
    if (plan::bridge_by(course.plan.strategy.start) == plan::SpawnBridge::no)
        out.push_back(TellOpenPort{});
}

void prepare(ResizeCourse& course, Effects& out) {
    const auto* before = std::get_if<Agreeing>(&course.state);
    const int attempt = before == nullptr ? 1 : before->attempt + 1;
    course.state = Agreeing{attempt, PointAgreement(course.plan.before.size())};
    out.push_back(ArmTimer{Timer::phase, answer_within});
    out.push_back(TellPrepare{attempt});
    out.push_back(Mark{"asked"});
}

void announce(ResizeCourse& course, Effects& out) {
    const auto point = *std::get<Agreeing>(course.state).agreement->point();
    course.state = Waiting{{point, {}}};
    course.summary.point = point;
    out.push_back(DisarmTimer{Timer::phase});
    out.push_back(Mark{"announced"});
    out.push_back(TellDecision{point});
}

void begin_switch(ResizeCourse& course, Announced announced, Effects& out) {
    course.state = Switching{std::move(announced)};
    out.push_back(Record{"the switch begins", false});
    // A source may take any time to come to the point.
    out.push_back(DisarmTimer{Timer::phase});
    if (course.plan.joins_in_background())
        out.push_back(TellAtPoint{});
    else if (course.newcomers && course.newcomers->bridge().leader())
        out.push_back(TellJoin{*course.newcomers->bridge().leader()});
}

void let_prepare(ResizeCourse& course, Effects& out) {
    const auto* asked = std::get_if<Agreeing>(&course.state);
    if (asked != nullptr && asked->agreement) out.push_back(TellDecision{0});
    course.state = Agreeing{asked == nullptr ? 0 : asked->attempt, std::nullopt};
    course.due = Due::nothing;
    out.push_back(DisarmTimer{Timer::phase});
}

// The groups of a job's start are not joined with any other ranks.
void finish_start(ResizeCourse& course, Effects& out) {
    course.state = Done{true};
    out.push_back(Commit{0});
    out.push_back(Finished{true, ""});
}

void join_in_background(ResizeCourse& course, Effects& out) {
    std::get<Starting>(course.state).stage = Stage::joining;
    out.push_back(Record{"the join begins", false});
    restart_join_timer(out);
    course.newcomers->join().begin(course.plan.before.size());
    out.push_back(TellJoin{*course.newcomers->bridge().leader(), true});
}

void leave_starting_if_joined(ResizeCourse& course, Effects& out) {
    auto& starting = std::get<Starting>(course.state);
    if (starting.stage == Stage::bridging && course.newcomers->is_bridged()) {
        out.push_back(Mark{"bridged"});
        if (course.plan.joins_in_background()) return join_in_background(course, out);
        if (!starting.at_point) return ask_for_point(course, out);
        out.push_back(TellProceed{});
        begin_switch(course, std::move(*starting.at_point), out);
    } else if (starting.stage == Stage::joining && !course.newcomers->join().is_open()) {
        out.push_back(Mark{"joined"});
        ask_for_point(course, out);
    }
}

void conclude(ResizeCourse& course, const Announced& announced, Effects& out) {
    const auto& plan = course.plan;
    const auto sum = announced.reports.sum();
    course.summary.switched = sum;
    out.push_back(Mark{"done"});
    if (!sum.committed) {
        course.voted = true;
        if (sum.unfinished) out.push_back(TellSkipFinalize{});
        const auto given_up = course.given_up_why();
        const auto& why = given_up.empty() ? sum.why : given_up;
        return roll_back(course, why.empty() ? "the ranks voted no" : why, out);
    }
    out.push_back(TellExitPermitted{});
    // A resize that was called off too late ends its request.
    const bool called_off = std::holds_alternative<Abandoned>(course.state);
    course.state = Done{true};
    if (plan.added.empty()) out.push_back(DisarmTimer{Timer::phase});
    out.push_back(Finished{true, "", called_off});
}

}  // namespace

void start_groups(ResizeCourse& course, Effects& out) {
    auto* waiting = std::get_if<Waiting>(&course.state);
    Starting starting;
    if (waiting != nullptr) starting.at_point = std::move(waiting->announced);
    course.state = std::move(starting);
    course.newcomers.emplace(course.plan, course.lost.has_value());
    out.push_back(UseGroups{});
    record_then(course, Due::start,
                course.plan.starts_job() ? "the job is started" : "new groups are started", out);
}

// A source that is asked stops at its next point. So the sources are not asked while a process
// prepares.
void ask_for_point(ResizeCourse& course, Effects& out) {
    if (course.program.anybody_prepares()) return let_prepare(course, out);
    record_then(course, Due::ask, "the ranks are asked for their point", out);
}

void continue_recorded(ResizeCourse& course, Effects& out) {
    switch (std::exchange(course.due, Due::nothing)) {
        case Due::nothing:
            return;
        case Due::start:
            return launch(course, out);
        case Due::spawn:
            return course.newcomers->spawns()->order(course.plan, out);
        case Due::ask:
            return prepare(course, out);
        case Due::announce:
            return announce(course, out);
        case Due::accept:
            out.push_back(ArmTimer{Timer::accept, accept_within});
            return out.push_back(TellAccept{});
    }
}

// Formed groups are ready only when the broker has the hello of each rank. Before that, an agent
// may be disconnected, and a message to its host would be lost.
void advance_stage(ResizeCourse& course, Effects& out) {
    auto* starting = std::get_if<Starting>(&course.state);
    if (starting == nullptr || !course.newcomers) return;
    auto& stage = starting->stage;
    if (stage == Stage::starting && course.newcomers->connector().all_ready()) {
        stage = Stage::connecting;
        out.push_back(Mark{"ready"});
        if (!course.plan.starts_job()) out.push_back(ArmTimer{Timer::phase, form_within});
    }
    if (stage == Stage::connecting && course.newcomers->connector().is_formed()) {
        stage = Stage::bridging;
        out.push_back(Mark{"formed"});
        if (course.plan.starts_job()) return finish_start(course, out);
        out.push_back(ArmTimer{Timer::phase, bridge_within});
    }
    leave_starting_if_joined(course, out);
}

void restart_join_timer(Effects& out) {
    out.push_back(ArmTimer{Timer::phase, join_within});
}

void newcomer_progressed(const ResizeCourse& course, Effects& out) {
    const auto* starting = std::get_if<Starting>(&course.state);
    if (starting != nullptr && starting->stage == Stage::connecting && !course.plan.starts_job())
        out.push_back(ArmTimer{Timer::phase, form_within});
}

void take_preparing(ResizeCourse& course, const Progressed& progressed, Effects& out) {
    const bool is_source =
        course.plan.before.rank_of(progressed.process) && announced_in(course.state) == nullptr;
    const bool is_new = course.plan.adds(progressed.process.group) && !course.plan.starts_job();
    if (!is_wanted(course) || !(is_source || is_new)) return;
    const bool is_asking = std::holds_alternative<Agreeing>(course.state);
    if (progressed.work == Work::prepares) {
        if (course.program.begin_preparing(progressed.process) && is_asking)
            let_prepare(course, out);
    } else if (course.program.end_preparing(progressed.process) &&
               !course.program.anybody_prepares() && is_asking) {
        ask_for_point(course, out);
    }
}

void take_answer(ResizeCourse& course, const PointAnswered& answer, Effects& out) {
    auto* agreeing = std::get_if<Agreeing>(&course.state);
    if (agreeing == nullptr || !agreeing->agreement || answer.attempt != agreeing->attempt ||
        !course.plan.before.rank_of(answer.process))
        return;
    agreeing->agreement->answer(answer.process.group, answer.process.rank, answer.count,
                                answer.finished);
    if (answer.finished) return roll_back(course, "the program is ending", out);
    if (agreeing->agreement->complete())
        record_then(course, Due::announce, "the point is announced", out);
}

void arrive(ResizeCourse& course, Effects& out) {
    auto* abandoned = std::get_if<Abandoned>(&course.state);
    auto* waiting = std::get_if<Waiting>(&course.state);
    if (waiting == nullptr && (abandoned == nullptr || abandoned->at_point)) return;
    out.push_back(Mark{"arrived"});
    out.push_back(DisarmTimer{Timer::switch_within});
    if (abandoned != nullptr) {
        abandoned->at_point = true;
        return out.push_back(Record{"the switch begins", false});
    }
    if (course.plan.is_blocking()) return start_groups(course, out);
    begin_switch(course, std::move(waiting->announced), out);
}

namespace {

EndJob agreed_to_the_lost(const LostNewcomer& lost) {
    return {lost.code,
            lost.why +
                ", when the program had just agreed to the resize; the job is ended on all hosts"};
}

}  // namespace

void take_commit(ResizeCourse& course, Effects& out) {
    auto* announced = announced_in(course.state);
    const auto* abandoned = std::get_if<Abandoned>(&course.state);
    const bool at_point = std::holds_alternative<Switching>(course.state) ||
                          (abandoned != nullptr && abandoned->at_point);
    if (!at_point || !course.plan.commits_before_data()) return;
    if (announced->reports.commit()) out.push_back(Commit{announced->point});
    if (course.lost) out.push_back(agreed_to_the_lost(*course.lost));
}

void take_report(ResizeCourse& course, const SwitchDone& done, Effects& out) {
    if (!course.plan.before.rank_of(done.process)) return;
    // The report of a rank on another host can reach the broker before the Arrived of rank 0, which
    // was sent earlier.
    if (std::holds_alternative<Waiting>(course.state) && !course.plan.is_blocking())
        arrive(course, out);
    auto* announced = announced_in(course.state);
    if (announced == nullptr || announced->reports.has(done.process)) return;
    const bool waits_for_newcomers =
        course.plan.is_blocking() && (std::holds_alternative<Waiting>(course.state) ||
                                      std::holds_alternative<Starting>(course.state));
    if (done.report.committed && waits_for_newcomers)
        throw InputError("a rank reports the commit of a resize before the newcomers have arrived");
    if (announced->reports.add(done)) out.push_back(Commit{announced->point});
    if (done.report.committed && course.lost)
        return out.push_back(agreed_to_the_lost(*course.lost));
    if (announced->reports.heard() == course.plan.before.size())
        conclude(course, Announced(*announced), out);
}

}  // namespace ductile::resize
