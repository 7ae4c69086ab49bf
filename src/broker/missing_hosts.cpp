#include "broker/missing_hosts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "broker/choose_strategy.hpp"
#include "plan/launch_plan.hpp"

namespace ductile::broker {

namespace {

using core::SizeRange;

constexpr int most_hosts = 4096;

std::optional<int> size_of(const SizeRange& range, const Limits& limits, Aim aim) {
    return aim == Aim::largest ? largest_allowed(range, limits) : smallest_allowed(range, limits);
}

int step_of(const Limits& limits) {
    return std::max(1, limits.multiple.value);
}

/// The hosts to request for a size of `target`. Without them there is room for `room` ranks.
/// `useful`: the sizes that the job may take if it gets only a part of these hosts; nullopt: a part
/// is of no use.
std::optional<HostWish> wish_for(int target, int room, int slots,
                                 const std::optional<SizeRange>& useful, const Limits& limits) {
    HostWish wish;
    wish.hosts = (target - room + slots - 1) / slots;
    wish.slots = slots;
    if (useful)
        if (const auto first =
                smallest_allowed({std::max(useful->lower, room + 1), useful->upper}, limits))
            wish.part = PartOfUse{*first - room, step_of(limits)};
    return wish.hosts <= most_hosts ? std::optional(wish) : std::nullopt;
}

/// The sum of the slots. A larger sum than INT32_MAX / 4 becomes this number, which is enough for
/// any job.
int total(const std::vector<int>& slots) {
    const auto sum = std::accumulate(slots.begin(), slots.end(), std::int64_t{0});
    return static_cast<int>(std::min<std::int64_t>(sum, INT32_MAX / 4));
}

/// How many ranks the job can have on its hosts: first by merge, where new ranks run beside the
/// present ranks, then by baseline, where new ranks replace the present ranks.
std::array<int, 2> rooms_in(const JobView& job) {
    const int beside = job.layout.size() + job.layout.parked_size() +
                       total(plan::to_start(job.layout, job.living));
    return {beside, total(plan::to_start({}, job.living))};
}

JobView with_more(JobView job, const HostWish& wish) {
    for (int i = 0; i < wish.hosts; ++i)
        for (auto* hosts : {&job.allocation, &job.living}) hosts->hosts.push_back({"", wish.slots});
    return job;
}

bool helps(const HostWish& wish, ResizeRequest request, int size, const JobView& job) {
    std::get<NewSize>(request.goal).range = SizeRange::exactly(size);
    return !std::holds_alternative<Refused>(choose_resize(request, with_more(job, wish)));
}

std::optional<HostWish> more_hosts(const ResizeRequest& request, const JobView& job, int slots,
                                   Aim aim) {
    const auto& range = request.size()->range;
    const int target = aim == Aim::largest ? range.upper : range.lower;
    const auto there = static_cast<int>(std::ranges::count_if(
        job.living.hosts, [](const core::Host& host) { return host.slots > 0; }));
    if (target <= there || target - there > most_hosts) return std::nullopt;
    HostWish wish{target - there, slots, std::nullopt};
    if (!range.is_one() && aim == Aim::largest) wish.part = PartOfUse{};
    return helps(wish, request, target, job) ? std::optional(wish) : std::nullopt;
}

/// The sizes that the job may take if it gets only a part of the hosts. A request for one size also
/// allows the sizes between the present size and that size, but only if the limits set a multiple
/// (a multiple of 1 counts, too).
std::optional<SizeRange> useful_sizes(const SizeRange& larger, bool one_size, Aim aim,
                                      const JobView& job) {
    if (aim == Aim::smallest) return std::nullopt;
    if (!one_size) return larger;
    if (job.limits.multiple.value == 0) return std::nullopt;
    return SizeRange{job.layout.size() + 1, larger.upper};
}

}  // namespace

std::optional<HostWish> hosts_to_start(const SizeRange& ranks, const Limits& limits, int slots,
                                       Aim aim, int room) {
    const auto target = size_of(ranks, limits, aim);
    if (!target || *target <= room) return std::nullopt;
    const bool in_parts = aim == Aim::largest && !ranks.is_one();
    return wish_for(*target, room, slots, in_parts ? std::optional(ranks) : std::nullopt, limits);
}

std::optional<HostWish> hosts_to_grow(const ResizeRequest& request, const JobView& job, int slots,
                                      Aim aim) {
    if (request.size() == nullptr) return std::nullopt;
    if (request.size()->unit == SizeUnit::hosts) return more_hosts(request, job, slots, aim);
    const auto& range = request.size()->range;
    const SizeRange larger{std::max(range.lower, job.layout.size() + 1), range.upper};
    const auto target = size_of(larger, job.limits, aim);
    if (!target) return std::nullopt;
    const auto useful = useful_sizes(larger, range.is_one(), aim, job);
    for (const int room : rooms_in(job)) {
        if (room >= *target) continue;
        const auto wish = wish_for(*target, room, slots, useful, job.limits);
        if (wish && helps(*wish, request, *target, job)) return wish;
    }
    return std::nullopt;
}

}  // namespace ductile::broker
