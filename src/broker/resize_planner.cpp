#include "broker/resize_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "broker/requested_hosts.hpp"
#include "broker/size_in_range.hpp"
#include "broker/start_refusals.hpp"
#include "core/counted.hpp"
#include "plan/plan_table.hpp"
#include "plan/shrink_plan.hpp"
#include "plan/start_plan.hpp"

namespace ductile::broker {

namespace {

using core::HostIndex;
using plan::Method;
using plan::Start;
using plan::Strategy;

using Draft = std::variant<PlannedResize, Refused>;

Draft planned_by(const std::variant<plan::ShrinkPlan, plan::ShrinkRefusal>& planned,
                 const JobView& job) {
    if (const auto* refusal = std::get_if<plan::ShrinkRefusal>(&planned))
        return Refused{refusal->reason};
    const auto& shrink = std::get<plan::ShrinkPlan>(planned);
    PlannedResize resize;
    resize.after = shrink.after;
    resize.table = plan::to_table(shrink, job.layout, job.allocation);
    return resize;
}

Draft to_start(const Strategy& strategy, int size, const JobView& job) {
    if (auto refused = refuse_start(strategy.start, job)) return *refused;
    const plan::StartRequest wish{strategy.method, strategy.start, size,
                                  core::GroupId{job.next_group}, strategy.rank_order};
    const auto* room = &job.living;
    auto planned = plan::plan_start(job.layout, *room, wish);
    if (std::holds_alternative<plan::ExpandRefusal>(planned)) {
        room = &job.allocation;
        planned = plan::plan_start(job.layout, *room, wish);
    }
    if (const auto* refusal = std::get_if<plan::ExpandRefusal>(&planned))
        return Refused{refusal->reason};
    const auto& start = std::get<plan::StartPlan>(planned);
    if (auto refused = refuse_spawns(strategy.start, start.added, job)) return *refused;
    PlannedResize resize;
    resize.added = start.added;
    resize.after = start.after();
    resize.strategy = strategy;
    resize.spawns = start.spawns;
    resize.table = plan::to_table(start, job.layout, *room);
    return resize;
}

// The strategy that replaces all processes if the strategy of the request is not possible (see
// plan_resize). It does not rely on the MPI of the old processes.
Strategy replacement(const Strategy& wanted, const JobView& job) {
    auto fresh = wanted;
    fresh.method = Method::baseline;
    fresh.start = standard_start(job.mpi);
    fresh.overlap = plan::Overlap::background;
    fresh.joining = plan::Joining::point;
    return fresh;
}

// Parked ranks come back. Their processes run already, so nothing has to start.
PlannedResize to_come_back(int size, const JobView& job) {
    const int parked = job.layout.parked_size();
    const int back = std::min(size - job.layout.size(), parked);
    PlannedResize resize;
    resize.after = job.layout.with_back(back);
    resize.has_next_step = resize.after.size() < size;
    resize.table = fmt::format(
        "expand {} -> {} ranks: {} of the {} parked ranks come back{}\n", job.layout.size(),
        resize.after.size(), back, parked,
        resize.has_next_step ? fmt::format(", then more are started, to {}", size) : "");
    return resize;
}

Draft to_join(Strategy strategy, bool may_change, int size, const JobView& job) {
    if (job.health == Health::final ||
        (job.health == Health::helper && strategy.method == Method::merge && !may_change))
        return Refused{
            "the job is degraded (a thread of a rank is stuck inside MPI since a newcomer died): "
            "it "
            "can shrink and end, but not grow; restart it to grow again"};
    if (job.health == Health::helper) strategy = replacement(strategy, job);
    if (strategy.method == Method::merge && job.layout.parked_size() > 0 &&
        size > job.layout.size()) {
        auto back = to_come_back(size, job);
        if (!back.has_next_step) return back;
        // The first step must not begin if the second is refused, or end at a size that the limits
        // do not allow.
        auto then = job;
        then.layout = back.after;
        auto rest = to_join(strategy, may_change, size, then);
        const auto* more = std::get_if<PlannedResize>(&rest);
        if (more == nullptr) return rest;
        if (const auto why = objection(job.limits, back.after.size())) {
            if (!may_change)
                return Refused{
                    "with --method merge the parked ranks come back before others start, but " +
                    *why};
            return to_join(replacement(strategy, job), false, size, job);
        }
        back.strategy = more->strategy;
        back.rest = plan::shape_of(back.after, more->after, more->added, more->spawns);
        back.table += more->table;
        return back;
    }
    auto planned = to_start(strategy, size, job);
    auto* resize = std::get_if<PlannedResize>(&planned);
    if (resize != nullptr && strategy.method == Method::merge && may_change &&
        must_be_replaced_before(*resize, job)) {
        auto replaced = to_start(replacement(strategy, job), size, job);
        const auto* all = std::get_if<PlannedResize>(&replaced);
        if (all != nullptr && !too_many_together(*all, job)) {
            planned = std::move(replaced);
            resize = std::get_if<PlannedResize>(&planned);
        }
    }
    if (resize == nullptr) return planned;
    if (auto refused = too_many_together(*resize, job)) return *refused;
    if (auto refused = refuse_worlds(*resize, job)) return *refused;
    return planned;
}

// --start, --overlap and --join only have a meaning for new groups.
std::optional<Refused> starts_nothing(const ResizeRequest& request, const Draft& answer,
                                      const JobView& job) {
    const auto* resize = std::get_if<PlannedResize>(&answer);
    if (resize == nullptr || resize->after.size() > job.layout.size() || !resize->added.empty())
        return std::nullopt;
    if (!request.start && !request.overlap && !request.joining) return std::nullopt;
    return Refused{
        "a shrink by merge starts nothing, so --start, --overlap and --join do not apply to it"};
}

plan::ShrinkKind kind_of(const ResizeRequest& request) {
    return request.shrink.value_or(plan::ShrinkKind::ts);
}

Strategy strategy_of(const ResizeRequest& request, const JobView& job) {
    Strategy strategy = job.strategy;
    if (request.renews()) strategy.start = standard_start(job.mpi);
    strategy.method =
        request.renews() ? Method::baseline : request.named_method().value_or(strategy.method);
    if (job.limits.one_world.value) strategy.method = Method::baseline;
    strategy.start = request.start.value_or(strategy.start);
    strategy.overlap = request.overlap.value_or(strategy.overlap);
    strategy.joining = request.joining.value_or(strategy.joining);
    strategy.redistribution = request.redistribution.value_or(strategy.redistribution);
    strategy.memory = request.memory.value_or(strategy.memory);
    return strategy;
}

// For a program that uses MPI_COMM_WORLD for the job.
std::optional<Refused> refuse_several_worlds(const ResizeRequest& request, const JobView& job) {
    if (!job.limits.one_world.value) return std::nullopt;
    if (request.named_method() == Method::merge)
        return Refused{
            "the program uses MPI_COMM_WORLD for the job, so each resize starts all ranks afresh, "
            "as one world: use --method baseline"};
    const auto start = strategy_of(request, job).start;
    if (!plan::starts_each_host(start)) return std::nullopt;
    return Refused{
        fmt::format("the program uses MPI_COMM_WORLD for the job, and --start {} makes a world on "
                    "each host: use --start {}",
                    plan::to_string(start), plan::to_string(standard_start(job.mpi)))};
}

Planned widen(Draft answer) {
    return std::visit([](auto&& one) -> Planned { return std::forward<decltype(one)>(one); },
                      std::move(answer));
}

int ranks_without(const core::Layout& layout, const std::vector<plan::Release>& hosts) {
    int ranks = layout.size();
    for (const auto& one : hosts) ranks -= layout.ranks_on(one.host);
    return ranks;
}

Planned planned_release(const GiveBack& wanted, const ResizeRequest& request, const JobView& job) {
    const auto found = releases_named(wanted.hosts, job);
    if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
    const auto& releases = std::get<std::vector<plan::Release>>(found);
    auto released =
        planned_by(plan::plan_release(job.layout, releases, job.allocation, kind_of(request)), job);
    const auto* fewer = std::get_if<PlannedResize>(&released);
    const Strategy strategy = strategy_of(request, job);
    if (fewer != nullptr && strategy.method == Method::baseline)
        released = to_join(strategy, false, fewer->after.size(), without_slots(job, releases));
    if (auto idle = starts_nothing(request, released, job)) return *idle;
    if (const auto* resize = std::get_if<PlannedResize>(&released))
        if (const auto why = objection(job.limits, resize->after.size())) return Refused{*why};
    return widen(std::move(released));
}

// Ranks that park keep their slots.
SlotCounts with_released(const SlotCounts& counts, const ResizeRequest& request,
                         const JobView& job) {
    const auto* given = request.release();
    if (given == nullptr || kind_of(request) == plan::ShrinkKind::park) return counts;
    SlotCounts released;
    for (const auto& share : given->hosts) {
        if (!share.ranks) continue;
        auto& slots = released[*host_named(share.host, job.allocation)];
        slots = std::max(slots, *share.ranks);
    }
    auto all = counts;
    for (const auto& [host, slots] : released) all[host] += slots;
    return all;
}

// A reminder for the user.
std::string given_back_text(const SlotCounts& counts, const JobView& job) {
    return "; slots that were given back, and that only --reclaim frees again: " +
           slots_text(counts, job.allocation);
}

Planned planned_groups(const ResizeRequest& request, const JobView& job) {
    if (auto refused = refuse_several_worlds(request, job)) return *refused;
    if (const auto* given = request.release()) return planned_release(*given, request, job);
    const bool named = request.named_method().has_value();
    const Strategy strategy = strategy_of(request, job);
    const Method method = strategy.method;
    const auto* wanted = request.size();
    int size = wanted != nullptr ? wanted->range.upper : job.layout.size();
    std::optional<std::vector<plan::Release>> fewer_hosts;
    if (wanted != nullptr && wanted->unit == SizeUnit::hosts) {
        auto counted = size_in_hosts(size, job);
        if (const auto* refused = std::get_if<Refused>(&counted)) return *refused;
        if (auto* hosts = std::get_if<std::vector<plan::Release>>(&counted)) {
            fewer_hosts = std::move(*hosts);
            size = ranks_without(job.layout, *fewer_hosts);
        } else {
            size = std::get<int>(counted);
        }
    }
    if (const auto why = objection(job.limits, size)) return Refused{*why};
    const bool asked_for_fresh = request.renews() || (named && method == Method::baseline);
    if (size == job.layout.size() && !asked_for_fresh)
        return NothingToDo{fmt::format("the job has a size of {} already", size)};
    if (request.shrink && (size >= job.layout.size() || method == Method::baseline))
        return Refused{
            "--shrink applies only to a shrink with --method merge, and this resize is not one"};
    if (size < job.layout.size() && method == Method::merge) {
        auto shrunk = planned_by(
            fewer_hosts
                ? plan::plan_release(job.layout, *fewer_hosts, job.allocation, kind_of(request))
                : plan::plan_shrink(job.layout, size, kind_of(request), strategy.rank_order),
            job);
        if (auto idle = starts_nothing(request, shrunk, job)) return *idle;
        return widen(std::move(shrunk));
    }
    return widen(to_join(strategy, !named && !request.renews(), size, job));
}

// Precondition: the request does not name a range of sizes.
Planned plan_one_size(const ResizeRequest& request, const JobView& job) {
    const auto given_back = given_back_by(request, job);
    if (const auto* why = std::get_if<Refused>(&given_back)) return *why;
    const auto& counts = std::get<SlotCounts>(given_back);
    auto planned = planned_groups(request, without_slots(job, counts));
    auto* refused = std::get_if<Refused>(&planned);
    if (refused != nullptr && request.release() == nullptr && !counts.empty())
        refused->why += given_back_text(counts, job);
    if (auto* resize = std::get_if<PlannedResize>(&planned)) {
        resize->strategy.redistribution = strategy_of(request, job).redistribution;
        resize->strategy.memory = strategy_of(request, job).memory;
        const auto two_copies = why_not(resize->strategy);
        if (two_copies && (!resize->added.empty() || resize->has_next_step))
            return Refused{*two_copies};
        if (const auto why = why_not(resize->strategy.redistribution, job.mpi))
            return Refused{*why};
        resize->given_back = with_released(counts, request, job);
        resize->shape = plan::shape_of(job.layout, resize->after, resize->added, resize->spawns);
        for (auto* shape : {&resize->shape, &resize->rest})
            shape->spawn_stops_program = job.mpi.spawn_blocks_threads && shape->sources > 1 &&
                                         resize->strategy.start != plan::Start::launch;
        resize->cost = plan::cost_of(job.costs, resize->strategy, resize->shape);
        if (resize->cost && resize->has_next_step) {
            const auto rest = plan::cost_of(job.costs, resize->strategy, resize->rest);
            resize->cost = rest ? std::optional(*resize->cost + *rest) : std::nullopt;
        }
    }
    return planned;
}

}  // namespace

std::string to_string(Health health) {
    static constexpr const char* names[] = {"good", "helper", "final"};
    return names[static_cast<int>(health)];
}

Planned plan_resize(const ResizeRequest& request, const JobView& job) {
    return plan_size_in_range(request, job, plan_one_size);
}

}  // namespace ductile::broker
