#include "core/layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace ductile::core {

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
    for (const auto& group : groups)
        if (group.host == host) total += group.ranks;
    return total;
}

std::vector<HostIndex> Layout::hosts() const {
    std::vector<HostIndex> seen;
    for (const auto& group : groups)
        if (std::find(seen.begin(), seen.end(), group.host) == seen.end())
            seen.push_back(group.host);
    return seen;
}

Layout Layout::with(const std::vector<Group>& added) const {
    Layout result = *this;
    result.groups.insert(result.groups.end(), added.begin(), added.end());
    return result;
}

Layout Layout::without(const std::vector<GroupId>& leaving) const {
    Layout result;
    for (const auto& group : groups)
        if (std::find(leaving.begin(), leaving.end(), group.id) == leaving.end())
            result.groups.push_back(group);
    return result;
}

}  // namespace ductile::core
