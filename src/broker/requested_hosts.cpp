#include "broker/requested_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ductile::broker {

using core::HostIndex;

namespace {

// The size of the job when it fills its hosts and so many of the next ones that it has `wanted`;
// nothing when there are not so many that have slots.
std::optional<int> size_of_full_hosts(const core::Layout& layout, const core::Allocation& room,
                                      int wanted) {
    int more = wanted - static_cast<int>(layout.hosts().size());
    int size = layout.size();
    for (std::size_t i = 0; i < room.hosts.size() && more > 0; ++i) {
        const int ranks = layout.ranks_on(HostIndex{static_cast<int>(i)});
        size += std::max(0, room.hosts[i].slots - ranks);
        if (ranks == 0 && room.hosts[i].slots > 0) --more;
    }
    return more == 0 ? std::optional(size) : std::nullopt;
}

}  // namespace

std::variant<int, Refused> size_in_hosts(int wanted, const JobView& job) {
    const auto now = job.layout.hosts();
    if (wanted > static_cast<int>(job.allocation.hosts.size()))
        return Refused{fmt::format("{} hosts are asked for, the job may use {}", wanted,
                                   job.allocation.hosts.size())};
    if (wanted > static_cast<int>(now.size())) {
        if (const auto full = size_of_full_hosts(job.layout, job.living, wanted)) return *full;
        if (const auto full = size_of_full_hosts(job.layout, job.allocation, wanted)) return *full;
        return Refused{fmt::format("{} hosts are asked for, fewer have slots", wanted)};
    }
    int size = 0;  // the hosts that joined last leave
    for (int i = 0; i < wanted; ++i) size += job.layout.ranks_on(now[static_cast<std::size_t>(i)]);
    return size;
}

std::variant<std::vector<HostIndex>, Refused> hosts_named(const std::vector<std::string>& names,
                                                          const JobView& job) {
    std::vector<HostIndex> hosts;
    for (const auto& name : names) {
        const auto& known = job.allocation.hosts;
        const auto it =
            std::find_if(known.begin(), known.end(), [&](const auto& h) { return h.name == name; });
        if (it == known.end()) return Refused{"there is no host '" + name + "'"};
        hosts.push_back(HostIndex{static_cast<int>(it - known.begin())});
        if (job.layout.ranks_on(hosts.back()) == 0)
            return Refused{"cannot release host " + name + " (the job has no ranks there)"};
    }
    return hosts;
}

bool splits_a_group(const core::Layout& layout, const std::vector<HostIndex>& released) {
    const auto leaves = [&](const core::Share& share) {
        return std::find(released.begin(), released.end(), share.host) != released.end();
    };
    return std::any_of(layout.groups.begin(), layout.groups.end(), [&](const core::Group& group) {
        const auto shares = group.shares();
        return std::any_of(shares.begin(), shares.end(), leaves) &&
               !std::all_of(shares.begin(), shares.end(), leaves);
    });
}

JobView without_hosts(JobView job, const std::vector<HostIndex>& hosts) {
    for (const auto host : hosts) {
        job.allocation.hosts[static_cast<std::size_t>(host.value)].slots = 0;
        job.living.hosts[static_cast<std::size_t>(host.value)].slots = 0;
    }
    return job;
}

}  // namespace ductile::broker
