#include "broker/size_in_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "broker/requested_hosts.hpp"
#include "core/counted.hpp"
#include "plan/launch_plan.hpp"

namespace ductile::broker {

namespace {

using core::SizeRange;

std::int64_t free_slots(const core::Layout& layout, const core::Allocation& allocation) {
    const auto free = plan::to_start(layout, allocation);
    return std::accumulate(free.begin(), free.end(), std::int64_t{0});
}

SizeRange up_to(const SizeRange& range, std::int64_t most) {
    return {range.lower, static_cast<int>(std::min<std::int64_t>(range.upper, most))};
}

// Precondition: the limits allow none of these sizes.
std::string none_is_allowed(const SizeRange& range, const Limits& limits) {
    const auto why = *objection(limits, range.upper);
    if (range.is_one()) return why;
    return fmt::format("no size from {} to {} is allowed: {}", range.lower, range.upper, why);
}

// A request for a range of sizes, and its job.
struct Search {
    const ResizeRequest& request;
    const NewSize& wanted;
    const JobView& job;
    PlanOneSize plan;

    [[nodiscard]] bool is_in_hosts() const { return wanted.unit == SizeUnit::hosts; }
    [[nodiscard]] Planned planned(int size, const JobView& view) const {
        auto one = request;
        one.goal = NewSize{SizeRange::exactly(size), wanted.unit};
        return plan(one, view);
    }
    // Limits are in ranks. For a number of hosts, the plan decides whether the limits allow it.
    [[nodiscard]] Limits limits() const { return is_in_hosts() ? Limits{} : job.limits; }
    [[nodiscard]] int present() const {
        return is_in_hosts() ? static_cast<int>(job.layout.hosts().size()) : job.layout.size();
    }
    [[nodiscard]] JobView without_lost_hosts() const {
        auto view = job;
        view.allocation = job.living;
        return view;
    }
    // The most that any plan reaches. By merge, ranks fill free slots and parked ranks come back.
    // By baseline, ranks fill all slots.
    [[nodiscard]] std::int64_t room() const {
        if (is_in_hosts()) return static_cast<std::int64_t>(job.living.hosts.size());
        return std::max(
            job.layout.size() + job.layout.parked_size() + free_slots(job.layout, job.living),
            free_slots({}, job.living));
    }
};

// The number of sizes to try one after the other. A plan for a thousand hosts takes milliseconds,
// and the broker handles no events meanwhile.
constexpr int most_tries = 64;

// A binary search for the largest size. It assumes that each size above a refused size is refused.
std::optional<Planned> largest_by_halving(SizeRange left, const Search& search,
                                          const JobView& view) {
    std::optional<Planned> largest;
    while (left.lower <= left.upper) {
        const int middle = left.lower + (left.upper - left.lower) / 2;
        const auto size = largest_allowed({left.lower, middle}, search.limits());
        if (!size) {
            left.lower = middle + 1;
            continue;
        }
        auto planned = search.planned(*size, view);
        if (std::holds_alternative<Refused>(planned)) {
            left.upper = *size - 1;
        } else {
            largest = std::move(planned);
            left.lower = middle + 1;
        }
    }
    return largest;
}

// Tries sizes from the top, because a size between two possible sizes may be refused (by hypercube,
// for example).
std::optional<Planned> largest_reachable(const SizeRange& range, const Search& search) {
    const auto living = search.without_lost_hosts();
    auto left = up_to(range, search.room());
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto size = largest_allowed(left, search.limits());
        if (!size) return std::nullopt;
        auto planned = search.planned(*size, living);
        if (!std::holds_alternative<Refused>(planned)) return planned;
        left.upper = *size - 1;
    }
    return largest_by_halving(left, search, living);
}

Planned smallest_or_why_not(const SizeRange& range, const Search& search, const JobView& view) {
    const auto smallest = smallest_allowed(range, search.limits());
    if (!smallest) return Refused{none_is_allowed(range, search.limits())};
    return search.planned(*smallest, view);
}

NothingToDo stays(const SizeRange& range, const SizeRange& larger, const Search& search) {
    const auto size = search.is_in_hosts() ? core::counted(search.present(), "host")
                                           : fmt::format("a size of {}", search.present());
    auto why = fmt::format("the job has {} already, which is within {}", size, to_string(range));
    if (larger.lower > larger.upper) return {why};
    const auto next = smallest_or_why_not(larger, search, search.without_lost_hosts());
    if (const auto* refused = std::get_if<Refused>(&next))
        why += "; it cannot grow now: " + refused->why;
    return {why};
}

}  // namespace

Planned plan_size_in_range(const ResizeRequest& request, const JobView& job, PlanOneSize plan) {
    const auto* wanted = request.size();
    if (wanted == nullptr || wanted->range.is_one()) return plan(request, job);
    const auto reclaimed = given_back_by(request, job);
    if (const auto* refused = std::get_if<Refused>(&reclaimed)) return *refused;
    const Search search{request, *wanted, job, plan};
    const auto& range = wanted->range;
    const int present = search.present();
    if (!range.holds(present)) {
        if (auto largest = largest_reachable(range, search)) return *std::move(largest);
        return smallest_or_why_not(range, search, job);
    }
    // A request for fresh processes may keep the present size, too.
    const bool is_fresh = request.named_method() == plan::Method::baseline;
    const SizeRange larger{is_fresh ? present : present + 1, range.upper};
    if (auto largest = largest_reachable(larger, search)) return *std::move(largest);
    if (is_fresh) return smallest_or_why_not(larger, search, job);
    return stays(range, larger, search);
}

std::variant<core::Group, Refused> plan_first_world(const SizeRange& ranks,
                                                    const core::Allocation& allocation,
                                                    const Limits& limits) {
    auto size = largest_allowed(up_to(ranks, free_slots({}, allocation)), limits);
    if (!size) size = smallest_allowed(ranks, limits);
    if (!size) return Refused{"cannot start the job: " + none_is_allowed(ranks, limits)};
    const auto planned = plan::plan_launch({}, allocation, *size, core::GroupId{0});
    if (const auto* refusal = std::get_if<plan::ExpandRefusal>(&planned))
        return Refused{refusal->reason};
    return plan::as_one_world(std::get<plan::LaunchPlan>(planned).added);
}

}  // namespace ductile::broker
