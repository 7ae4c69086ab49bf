#include "broker/requested_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/counted.hpp"

namespace ductile::broker {

using core::HostIndex;

namespace {

// The size of the job when it fills its hosts and as many further hosts as it needs to have
// `wanted` hosts. None if fewer hosts have slots.
std::optional<int> size_of_full_hosts(const core::Layout& layout, const core::Allocation& room,
                                      int wanted) {
    int more = wanted - static_cast<int>(layout.hosts().size());
    int size = layout.size();
    for (std::size_t i = 0; i < room.hosts.size(); ++i) {
        const int ranks = layout.ranks_on(HostIndex{static_cast<int>(i)});
        const bool is_next = ranks == 0 && more > 0 && room.hosts[i].slots > 0;
        if (ranks > 0 || is_next) size += std::max(0, room.hosts[i].slots - ranks);
        if (is_next) --more;
    }
    return more == 0 ? std::optional(size) : std::nullopt;
}

}  // namespace

std::variant<int, std::vector<plan::Release>, Refused> size_in_hosts(int wanted,
                                                                     const JobView& job) {
    const auto now = job.layout.hosts();
    if (wanted > static_cast<int>(job.allocation.hosts.size()))
        return Refused{fmt::format("{} hosts are asked for, the job may use {}", wanted,
                                   job.allocation.hosts.size())};
    if (wanted > static_cast<int>(now.size())) {
        if (const auto full = size_of_full_hosts(job.layout, job.living, wanted)) return *full;
        if (const auto full = size_of_full_hosts(job.layout, job.allocation, wanted)) return *full;
        return Refused{fmt::format("{} hosts are asked for, fewer have slots", wanted)};
    }
    if (wanted == static_cast<int>(now.size())) return job.layout.size();
    std::vector<plan::Release> given_back;
    for (auto host = now.begin() + wanted; host != now.end(); ++host) given_back.push_back({*host});
    return given_back;
}

int slots_of_new_hosts(const JobView& job, int asked) {
    if (asked > 0) return asked;
    int most = 1;
    for (const auto& host : job.living.hosts) most = std::max(most, host.slots);
    return most;
}

std::variant<std::vector<plan::Release>, Refused> releases_named(
    const std::vector<core::HostShare>& shares, const JobView& job) {
    std::vector<plan::Release> releases;
    for (const auto& share : shares) {
        const auto host = host_named(share.host, job.allocation);
        if (!host) return Refused{"there is no host '" + share.host + "'"};
        if (job.layout.ranks_on(*host) == 0)
            return Refused{"cannot release host " + share.host + " (the job has no ranks there)"};
        releases.push_back({*host, share.ranks});
    }
    return releases;
}

std::optional<HostIndex> host_named(std::string_view name, const core::Allocation& allocation) {
    const auto it = std::ranges::find_if(allocation.hosts, [&name](const core::Host& host) {
        return core::is_same_host(host.name, name);
    });
    if (it == allocation.hosts.end()) return std::nullopt;
    return HostIndex{static_cast<int>(it - allocation.hosts.begin())};
}

std::variant<SlotCounts, Refused> given_back_by(const ResizeRequest& request, const JobView& job) {
    auto counts = job.given_back;
    for (const auto& share : request.reclaim) {
        const auto host = host_named(share.host, job.allocation);
        if (!host) return Refused{"there is no host '" + share.host + "'"};
        const auto given = counts.find(*host);
        if (given == counts.end() || share.ranks > given->second)
            return Refused{
                fmt::format("cannot reclaim {} of host {} (given back there: {})",
                            share.ranks ? core::counted(*share.ranks, "slot") : "slots", share.host,
                            core::counted(given == counts.end() ? 0 : given->second, "slot"))};
        given->second -= share.ranks.value_or(given->second);
        if (given->second == 0) counts.erase(given);
    }
    return counts;
}

std::string slots_text(const SlotCounts& counts, const core::Allocation& hosts) {
    std::string text;
    for (const auto& [host, slots] : counts)
        text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", core::counted(slots, "slot"),
                            hosts.at(host).name);
    return text;
}

JobView without_slots(JobView job, const SlotCounts& counts) {
    std::vector<plan::Release> releases;
    for (const auto& [host, slots] : counts) releases.push_back({host, slots});
    return without_slots(std::move(job), releases);
}

JobView without_slots(JobView job, const std::vector<plan::Release>& releases) {
    for (const auto& release : releases)
        for (auto* room : {&job.allocation, &job.living}) {
            auto& slots = room->hosts[static_cast<std::size_t>(release.host.value)].slots;
            slots = release.ranks ? std::max(0, slots - *release.ranks) : 0;
        }
    return job;
}

}  // namespace ductile::broker
