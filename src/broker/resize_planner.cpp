#include "broker/resize_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "broker/requested_hosts.hpp"
#include "broker/start_refusals.hpp"
#include "plan/plan_table.hpp"
#include "plan/shrink_plan.hpp"
#include "plan/start_plan.hpp"

namespace ductile::broker {

namespace {

using core::HostIndex;
using plan::Method;
using plan::Start;
using plan::Way;

using Answer = std::variant<PlannedResize, Refused>;

PlannedResize planned_by(const plan::ShrinkPlan& shrink, const JobView& job) {
    PlannedResize resize;
    resize.leaving = shrink.leaving;
    resize.parking = shrink.parking;
    resize.after = shrink.after;
    resize.table = plan::to_table(shrink, job.layout, job.allocation);
    return resize;
}

Answer to_release(const std::vector<HostIndex>& hosts, const JobView& job) {
    const auto planned = plan::plan_release(job.layout, hosts);
    if (const auto* refusal = std::get_if<plan::ShrinkRefusal>(&planned))
        return Refused{refusal->reason};
    return planned_by(std::get<plan::ShrinkPlan>(planned), job);
}

Answer to_shrink(int size, plan::ShrinkKind kind, const JobView& job) {
    const auto planned = plan::plan_shrink(job.layout, size, kind);
    if (const auto* refusal = std::get_if<plan::ShrinkRefusal>(&planned))
        return Refused{refusal->reason};
    return planned_by(std::get<plan::ShrinkPlan>(planned), job);
}

Answer to_start(const Way& way, int size, const JobView& job) {
    if (auto refused = refuse_start(way.start, job)) return *refused;
    const plan::StartRequest wish{way.method, way.start, size, core::GroupId{job.next_group},
                                  job.hosts_per_group};
    const auto* room = &job.living;
    auto planned = plan::plan_start(job.layout, *room, wish);
    if (std::holds_alternative<plan::ExpandRefusal>(planned)) {
        room = &job.allocation;
        planned = plan::plan_start(job.layout, *room, wish);
    }
    if (const auto* refusal = std::get_if<plan::ExpandRefusal>(&planned))
        return Refused{refusal->reason};
    const auto& start = std::get<plan::StartPlan>(planned);
    if (auto refused = refuse_spawns(way.start, start.added, job)) return *refused;
    PlannedResize resize;
    resize.added = start.added;
    resize.after = start.after();
    resize.way = way;
    resize.spawns = start.spawns;
    resize.table = plan::to_table(start, job.layout, *room);
    if (way.method == Method::baseline)
        for (const auto& group : job.layout.groups) resize.leaving.push_back(group.id);
    return resize;
}

// Fresh processes that nobody has asked for: the old ones' MPI is not to be relied on for them.
Way replacement(const JobView& job) {
    return {Method::baseline, standard_start(job.mpi), plan::Overlap::background};
}

// Their processes are there: nothing has to start.
PlannedResize to_come_back(int size, const JobView& job) {
    const int back = std::min(size - job.layout.size(), job.layout.parked());
    PlannedResize resize;
    resize.parking = -back;
    resize.after = job.layout.with_parked(-back);
    resize.goes_on = resize.after.size() < size;
    resize.table = fmt::format(
        "expand {} -> {} ranks: {} of the {} parked ranks of g{} come back{}\n", job.layout.size(),
        resize.after.size(), back, job.layout.parked(), job.layout.groups.back().id.value,
        resize.goes_on ? fmt::format(", then more are started, to {}", size) : "");
    return resize;
}

Answer to_join(Way way, bool may_change, int size, const JobView& job) {
    if (job.wear == Wear::final ||
        (job.wear == Wear::helper && way.method == Method::merge && !may_change))
        return Refused{
            "the job is worn (a thread of a rank is stuck inside MPI since a newcomer died): it "
            "can shrink and end, but not grow; restart it to grow again"};
    if (job.wear == Wear::helper) way = replacement(job);
    if (way.method == Method::merge && job.layout.parked() > 0 && size > job.layout.size()) {
        auto back = to_come_back(size, job);
        if (!back.goes_on) return back;
        // Nothing is begun that could not be ended, nor ended at a size that is not allowed.
        auto then = job;
        then.layout = back.after;
        auto rest = to_join(way, may_change, size, then);
        const auto* more = std::get_if<PlannedResize>(&rest);
        if (more == nullptr) return rest;
        if (objection(job.limits, back.after.size()))
            return to_join(replacement(job), false, size, job);
        back.way = more->way;
        back.rest = plan::shape_of(back.after, more->after, more->added, more->spawns);
        back.table += more->table;
        return back;
    }
    auto planned = to_start(way, size, job);
    auto* resize = std::get_if<PlannedResize>(&planned);
    if (resize != nullptr && way.method == Method::merge && may_change &&
        must_be_replaced_before(*resize, job)) {
        auto replaced = to_start(replacement(job), size, job);
        const auto* all = std::get_if<PlannedResize>(&replaced);
        if (all != nullptr && !too_many_together(*all, job)) {
            planned = std::move(replaced);
            resize = std::get_if<PlannedResize>(&planned);
        }
    }
    if (resize == nullptr) return planned;
    if (auto refused = too_many_together(*resize, job)) return *refused;
    if (auto refused = strands_a_launcher(*resize, job)) return *refused;
    if (auto refused = refuse_worlds(*resize, job)) return *refused;
    return planned;
}

// The initial group of a one-world job may span hosts, what one MPI_Comm_spawn has started, and
// groups of several hosts each. Such a group leaves whole or not at all; where a part of it has to
// go all are replaced by groups that are launched (parallel-spawning-strategies, section 4.6, which
// does so when it is needed, too).
bool spans_hosts(const JobView& job) {
    const auto& groups = job.layout.groups;
    return (job.one_world && job.layout.find(core::GroupId{0}) != nullptr) ||
           std::any_of(groups.begin(), groups.end(),
                       [](const core::Group& group) { return group.spans_hosts(); });
}

std::optional<Refused> stranded_by(const Answer& answer, const JobView& job) {
    const auto* resize = std::get_if<PlannedResize>(&answer);
    return resize == nullptr ? std::nullopt : strands_a_launcher(*resize, job);
}

// --start and --overlap say how new groups come to be.
std::optional<Refused> starts_nothing(const wire::ResizeRequest& request, const Answer& answer) {
    const auto* resize = std::get_if<PlannedResize>(&answer);
    if (resize == nullptr || !resize->added.empty() || resize->parking < 0) return std::nullopt;
    if (request.start == wire::StartWish::standard &&
        request.overlap == wire::OverlapWish::standard)
        return std::nullopt;
    return Refused{"a shrink by merge starts nothing, so --start and --overlap mean nothing to it"};
}

Way way_of(const wire::ResizeRequest& request, const JobView& job) {
    Way way = job.way;
    if (request.renew) way.start = standard_start(job.mpi);
    if (request.start != wire::StartWish::standard)
        way.start = plan::all_starts.at(static_cast<std::size_t>(request.start) - 1);
    if (request.overlap != wire::OverlapWish::standard)
        way.overlap = plan::all_overlaps.at(static_cast<std::size_t>(request.overlap) - 1);
    if (request.renew || request.method == wire::MethodWish::baseline)
        way.method = Method::baseline;
    else if (request.method == wire::MethodWish::merge)
        way.method = Method::merge;
    return way;
}

std::variant<PlannedResize, NothingToDo, Refused> widen(Answer answer) {
    return std::visit(
        [](auto&& one) -> std::variant<PlannedResize, NothingToDo, Refused> {
            return std::forward<decltype(one)>(one);
        },
        std::move(answer));
}

std::variant<PlannedResize, NothingToDo, Refused> planned_groups(const wire::ResizeRequest& request,
                                                                 const JobView& job) {
    const bool named = request.method != wire::MethodWish::standard;
    const bool kind_named = request.shrink != wire::ShrinkWish::standard;
    const Way way = way_of(request, job);
    const Method method = way.method;
    const auto replaced = [&](int size, const JobView& view) {
        Way fresh = request.start == wire::StartWish::standard ? replacement(view) : way;
        fresh.method = Method::baseline;
        return to_join(fresh, false, size, view);
    };
    if (kind_named && !request.release.empty())
        return Refused{"hosts that are given back are given back whole: --shrink goes with a size"};
    if (!request.release.empty()) {
        const auto found = hosts_named(request.release, job);
        if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
        const auto& hosts = std::get<std::vector<HostIndex>>(found);
        const bool split = splits_a_group(job.layout, hosts);
        if (split && named && method == Method::merge)
            return Refused{
                "that would split a group that spans hosts; --method baseline replaces it"};
        auto left = job.layout.size();
        for (const auto host : std::set(hosts.begin(), hosts.end()))
            left -= job.layout.ranks_on(host);
        auto released = to_release(hosts, job);
        if (left > 0 && method == Method::baseline)
            released = to_join(way, false, left, without_hosts(job, hosts));
        else if (left > 0 && (split || (!named && stranded_by(released, job))))
            released = replaced(left, without_hosts(job, hosts));
        if (auto stranded = stranded_by(released, job)) return *stranded;
        if (auto idle = starts_nothing(request, released)) return *idle;
        if (const auto* resize = std::get_if<PlannedResize>(&released))
            if (const auto why = objection(job.limits, resize->after.size())) return Refused{*why};
        return widen(std::move(released));
    }
    int size = request.renew ? job.layout.size() : request.size;
    if (!request.renew && request.unit == wire::SizeUnit::hosts) {
        const auto counted = size_in_hosts(request.size, job);
        if (const auto* refused = std::get_if<Refused>(&counted)) return *refused;
        size = std::get<int>(counted);
    }
    if (const auto why = objection(job.limits, size)) return Refused{*why};
    const bool asked_for_fresh = request.renew || (named && method == Method::baseline);
    if (size == job.layout.size() && !asked_for_fresh)
        return NothingToDo{fmt::format("the job has a size of {} already", size)};
    if (kind_named && (size >= job.layout.size() || method == Method::baseline))
        return Refused{"--shrink says which ranks a shrink by merge lets go, and this is none"};
    if (size < job.layout.size() && method == Method::merge) {
        auto shrunk = to_shrink(size, static_cast<plan::ShrinkKind>(request.shrink), job);
        const auto stranded = stranded_by(shrunk, job);
        const bool split = std::holds_alternative<Refused>(shrunk) && spans_hosts(job);
        if (!named && !kind_named && (stranded || split)) return widen(replaced(size, job));
        if (stranded) return *stranded;
        if (auto idle = starts_nothing(request, shrunk)) return *idle;
        return widen(std::move(shrunk));
    }
    return widen(to_join(way, !named && !request.renew, size, job));
}

}  // namespace

std::string to_string(Wear wear) {
    static constexpr const char* names[] = {"none", "helper", "final"};
    return names[static_cast<int>(wear)];
}

std::variant<PlannedResize, NothingToDo, Refused> plan_resize(const wire::ResizeRequest& request,
                                                              const JobView& job) {
    auto planned = planned_groups(request, job);
    if (auto* resize = std::get_if<PlannedResize>(&planned)) {
        resize->shape = plan::shape_of(job.layout, resize->after, resize->added, resize->spawns);
        for (auto* shape : {&resize->shape, &resize->rest})
            shape->spawn_stops_program = job.mpi.spawn_shuts_others_out && shape->sources > 1 &&
                                         resize->way.start != plan::Start::launch;
        resize->cost = plan::cost_of(job.costs, resize->way, resize->shape);
        if (resize->cost && resize->goes_on) {
            const auto rest = plan::cost_of(job.costs, resize->way, resize->rest);
            resize->cost = rest ? std::optional(*resize->cost + *rest) : std::nullopt;
        }
    }
    return planned;
}

}  // namespace ductile::broker
