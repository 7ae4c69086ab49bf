#include "policy/sizes.hpp"

#include <algorithm>

namespace ductile::policy {

std::optional<int> largest_size(const JobView& job, std::int64_t at_most) {
    if (job.max > 0) at_most = std::min<std::int64_t>(at_most, job.max);
    if (job.multiple > 1) at_most -= at_most % job.multiple;
    if (at_most < std::max(1, job.min)) return std::nullopt;
    return static_cast<int>(at_most);
}

std::optional<int> grown_with(const JobView& job, int hosts) {
    const auto slots = std::int64_t{hosts} * job.slots_per_host + job.free_slots;
    const auto size = largest_size(job, job.ranks + slots);
    return size > job.ranks ? size : std::nullopt;
}

std::optional<int> grown_by_a_host(const JobView& job, int idle_hosts) {
    const std::int64_t host = std::max(1, job.slots_per_host);
    const std::int64_t all = job.free_slots + std::int64_t{idle_hosts} * job.slots_per_host;
    for (auto slots = std::min(host, all); slots > 0; slots = std::min(slots + host, all)) {
        const auto size = largest_size(job, job.ranks + slots);
        if (size > job.ranks) return size;
        if (slots == all) break;
    }
    return std::nullopt;
}

std::optional<OnFewerHosts> without_hosts(const JobView& job, int hosts) {
    OnFewerHosts rest{static_cast<int>(job.hosts.size()), job.ranks};
    int given_up = 0;
    for (auto last = job.hosts.rbegin(); last != job.hosts.rend(); ++last) {
        --rest.hosts;
        rest.ranks -= last->ranks;
        if (last->is_returnable) ++given_up;
        if (given_up >= hosts && largest_size(job, rest.ranks) == rest.ranks) return rest;
    }
    return std::nullopt;
}

}  // namespace ductile::policy
