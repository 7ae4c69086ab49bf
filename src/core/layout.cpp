#include "core/layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace ductile::core {

std::vector<Share> Group::shares() const {
    int first = ranks;
    for (const auto& share : elsewhere) first -= share.ranks;
    std::vector<Share> all{{host, first}};
    all.insert(all.end(), elsewhere.begin(), elsewhere.end());
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

int Layout::size() const {
    int total = 0;
    for (const auto& group : groups) total += group.ranks;
    return total;
}

const Group* Layout::find(GroupId id) const {
    const auto it =
        std::find_if(groups.begin(), groups.end(), [id](const Group& g) { return g.id == id; });
    return it == groups.end() ? nullptr : &*it;
}

Rank Layout::first_rank(GroupId id) const {
    int first = 0;
    for (const auto& group : groups) {
        if (group.id == id) return Rank{first};
        first += group.ranks;
    }
    throw std::out_of_range("no group " + std::to_string(id.value) + " in this layout");
}

const Group& Layout::group_of(Rank rank) const {
    int first = 0;
    for (const auto& group : groups) {
        if (rank.value >= first && rank.value < first + group.ranks) return group;
        first += group.ranks;
    }
    throw std::out_of_range("no rank " + std::to_string(rank.value) + " in a layout of " +
                            std::to_string(first));
}

int Layout::ranks_on(HostIndex host) const {
    int total = 0;
    for (const auto& group : groups) total += group.ranks_on(host);
    return total;
}

std::vector<HostIndex> Layout::hosts() const {
    std::vector<HostIndex> seen;
    for (const auto& group : groups)
        for (const auto& share : group.shares())
            if (std::find(seen.begin(), seen.end(), share.host) == seen.end())
                seen.push_back(share.host);
    return seen;
}

Layout Layout::with(const std::vector<Group>& added) const {
    Layout result = *this;
    result.groups.insert(result.groups.end(), added.begin(), added.end());
    return result;
}

Layout Layout::with_parked(int more) const {
    Layout result = *this;
    if (more == 0) return result;
    auto& last = result.groups.back();
    if (last.spans_hosts() || more >= last.ranks || -more > last.parked)
        throw std::out_of_range("cannot park " + std::to_string(more) + " of " +
                                std::to_string(last.ranks) + " ranks");
    last.ranks -= more;
    last.parked += more;
    return result;
}

int Layout::parked() const {
    int total = 0;
    for (const auto& group : groups) total += group.parked;
    return total;
}

Layout Layout::without(const std::vector<GroupId>& leaving) const {
    Layout result;
    for (const auto& group : groups)
        if (std::find(leaving.begin(), leaving.end(), group.id) == leaving.end())
            result.groups.push_back(group);
    return result;
}

}  // namespace ductile::core
