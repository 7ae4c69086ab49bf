#include "core/layout.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/contract.hpp"

namespace ductile::core {

namespace {

struct Placed {
    Process process;
    HostIndex host;
};

/// Appends a process. Extends the last range if possible.
void append(std::vector<RankRange>& ranges, const Placed& one) {
    if (!ranges.empty()) {
        auto& last = ranges.back();
        if (last.group == one.process.group && last.host == one.host &&
            last.first.value + last.ranks == one.process.rank.value) {
            ++last.ranks;
            return;
        }
    }
    ranges.push_back({one.process.group, one.host, one.process.rank, 1});
}

/// The processes, in the order of the ranges.
std::vector<Placed> processes_of(const std::vector<RankRange>& ranges) {
    std::vector<Placed> all;
    for (const auto& range : ranges)
        for (int i = 0; i < range.ranks; ++i)
            all.push_back({{range.group, Rank{range.first.value + i}}, range.host});
    return all;
}

std::vector<RankRange> ranges_of(const std::vector<Placed>& processes) {
    std::vector<RankRange> ranges;
    for (const auto& one : processes) append(ranges, one);
    return ranges;
}

void sort_by_process(std::vector<Placed>& processes) {
    std::ranges::sort(processes, {}, &Placed::process);
}

std::set<Process> set_of(const std::vector<RankRange>& ranges) {
    std::set<Process> all;
    for (const auto& one : processes_of(ranges)) all.insert(one.process);
    return all;
}

int ranks_on(const std::vector<RankRange>& ranges, HostIndex host) {
    int total = 0;
    for (const auto& range : ranges)
        if (range.host == host) total += range.ranks;
    return total;
}

[[maybe_unused]] bool are_distinct(const std::vector<Group>& groups) {
    std::set<GroupId> ids;
    for (const auto& group : groups) ids.insert(group.id);
    return ids.size() == groups.size();
}

/// The range that holds a rank of the job, and the job's rank of the first process of that range.
std::pair<const RankRange*, int> range_at(const Layout& layout, Rank rank) {
    int first = 0;
    for (const auto& range : layout.active) {
        if (rank.value >= first && rank.value < first + range.ranks) return {&range, first};
        first += range.ranks;
    }
    throw std::out_of_range("no rank " + std::to_string(rank.value) + " in a layout of " +
                            std::to_string(first));
}

}  // namespace

std::string to_string(const Process& process) {
    return "g" + std::to_string(process.group.value) + "." + std::to_string(process.rank.value);
}

std::vector<Share> Group::shares() const {
    int first = ranks;
    for (const auto& share : elsewhere) first -= share.ranks;
    std::vector<Share> all{{host, first}};
    all.insert(all.end(), elsewhere.begin(), elsewhere.end());
    return all;
}

std::vector<HostIndex> Group::hosts() const {
    std::vector<HostIndex> all;
    for (const auto& share : shares())
        if (std::ranges::find(all, share.host) == all.end()) all.push_back(share.host);
    return all;
}

std::vector<RankRange> Group::ranges() const {
    std::vector<RankRange> all;
    int first = 0;
    for (const auto& share : shares()) {
        all.push_back({id, share.host, Rank{first}, share.ranks});
        first += share.ranks;
    }
    return all;
}

int Group::ranks_on(HostIndex where) const {
    int total = 0;
    for (const auto& share : shares())
        if (share.host == where) total += share.ranks;
    return total;
}

HostIndex Group::host_of(Rank rank) const {
    int end = 0;
    for (const auto& share : shares()) {
        end += share.ranks;
        if (rank.value >= 0 && rank.value < end) return share.host;
    }
    throw std::out_of_range("no rank " + std::to_string(rank.value) + " in a group of " +
                            std::to_string(ranks));
}

int ranks_of(const std::vector<Group>& groups) {
    DUCTILE_EXPECT(are_distinct(groups));
    int total = 0;
    for (const auto& group : groups) total += group.ranks;
    return total;
}

int ranks_in(const std::vector<RankRange>& ranges) {
    int total = 0;
    for (const auto& range : ranges) total += range.ranks;
    return total;
}

bool holds(const std::vector<RankRange>& ranges, const Process& process) {
    return std::ranges::any_of(ranges,
                               [&](const RankRange& range) { return range.holds(process); });
}

Layout Layout::of(const std::vector<Group>& groups) {
    return Layout{}.with(groups);
}

int Layout::size() const {
    return ranks_in(active);
}

int Layout::parked_size() const {
    return ranks_in(parked);
}

std::vector<GroupId> Layout::groups() const {
    std::set<GroupId> seen;
    for (const auto* ranges : {&active, &parked})
        for (const auto& range : *ranges) seen.insert(range.group);
    return {seen.begin(), seen.end()};
}

bool Layout::holds(const Process& process) const {
    return core::holds(active, process) || core::holds(parked, process);
}

bool Layout::holds(GroupId group) const {
    const auto is_of = [group](const RankRange& range) { return range.group == group; };
    return std::ranges::any_of(active, is_of) || std::ranges::any_of(parked, is_of);
}

Process Layout::at(Rank rank) const {
    const auto [range, first] = range_at(*this, rank);
    return {range->group, Rank{range->first.value + rank.value - first}};
}

HostIndex Layout::host_of(Rank rank) const {
    return range_at(*this, rank).first->host;
}

std::optional<Rank> Layout::rank_of(const Process& process) const {
    int first = 0;
    for (const auto& range : active) {
        if (range.holds(process)) return Rank{first + process.rank.value - range.first.value};
        first += range.ranks;
    }
    return std::nullopt;
}

int Layout::ranks_on(HostIndex host) const {
    return core::ranks_on(active, host);
}

int Layout::parked_on(HostIndex host) const {
    return core::ranks_on(parked, host);
}

std::vector<HostIndex> Layout::hosts() const {
    std::vector<HostIndex> seen;
    for (const auto& range : active)
        if (std::ranges::find(seen, range.host) == seen.end()) seen.push_back(range.host);
    return seen;
}

void LocalRanks::add(const Process& process, int number) {
    if (!ranges_.empty()) {
        auto& last = ranges_.back();
        if (last.first.group == process.group &&
            last.first.rank.value + last.ranks == process.rank.value &&
            last.number + last.ranks == number) {
            ++last.ranks;
            return;
        }
    }
    ranges_.push_back({process, 1, number});
}

std::optional<int> LocalRanks::of(const Process& process) const {
    auto after = std::ranges::upper_bound(ranges_, process, {}, &Range::first);
    if (after == ranges_.begin()) return std::nullopt;
    const auto& range = *--after;
    const int place = process.rank.value - range.first.rank.value;
    if (range.first.group != process.group || place >= range.ranks) return std::nullopt;
    return range.number + place;
}

Layout Layout::on(const Allocation& all) const {
    Layout result = *this;
    result.slots.clear();
    for (const auto host : hosts()) result.slots[host] = all.at(host).slots;
    return result;
}

Layout Layout::with(const std::vector<Group>& added) const {
    Layout result = *this;
    for (const auto& group : added) {
        const auto ranges = group.ranges();
        result.active.insert(result.active.end(), ranges.begin(), ranges.end());
    }
    return result;
}

Layout Layout::with_between(const std::vector<Group>& added,
                            const std::vector<Rank>& places) const {
    const auto here = processes_of(active), fresh = processes_of(Layout::of(added).active);
    DUCTILE_EXPECT(places.size() == here.size());
    DUCTILE_EXPECT(places.empty() ||
                   places.back().value < static_cast<int>(here.size() + fresh.size()));
    std::vector<Placed> all;
    auto next_here = here.begin();
    auto next_fresh = fresh.begin();
    for (const auto place : places) {
        while (std::ssize(all) < place.value) all.push_back(*next_fresh++);
        all.push_back(*next_here++);
    }
    all.insert(all.end(), next_fresh, fresh.end());
    return {ranges_of(all), parked};
}

Layout Layout::without(const std::set<Rank>& leaving, const std::set<Rank>& parking) const {
    std::vector<Placed> stay, sleep = processes_of(parked);
    int rank = 0;
    for (const auto& one : processes_of(active)) {
        if (parking.contains(Rank{rank}))
            sleep.push_back(one);
        else if (!leaving.contains(Rank{rank}))
            stay.push_back(one);
        ++rank;
    }
    Layout result{ranges_of(stay), {}};
    std::erase_if(sleep, [&](const Placed& one) { return result.ranks_on(one.host) == 0; });
    sort_by_process(sleep);
    result.parked = ranges_of(sleep);
    return result;
}

Layout Layout::with_back(int count) const {
    const auto sleep = processes_of(parked);
    if (count < 0 || count > static_cast<int>(sleep.size()))
        throw std::out_of_range("cannot wake " + std::to_string(count) + " of " +
                                std::to_string(sleep.size()) + " parked ranks");
    Layout result{active, {}};
    for (const auto& one : sleep)
        if (count-- > 0)
            append(result.active, one);
        else
            append(result.parked, one);
    return result;
}

Change change_between(const Layout& before, const Layout& after) {
    const auto active = set_of(after.active), parked = set_of(after.parked);
    std::vector<Placed> leaving, parking, returning;
    for (const auto& one : processes_of(before.active)) {
        if (parked.contains(one.process))
            parking.push_back(one);
        else if (!active.contains(one.process))
            leaving.push_back(one);
    }
    for (const auto& one : processes_of(before.parked)) {
        if (active.contains(one.process))
            returning.push_back(one);
        else if (!parked.contains(one.process))
            leaving.push_back(one);
    }
    for (auto* list : {&leaving, &parking, &returning}) sort_by_process(*list);
    return {ranges_of(leaving), ranges_of(parking), ranges_of(returning)};
}

}  // namespace ductile::core
