#include "broker/local_ranks.hpp"

namespace ductile::broker {

namespace {

/// Calls `with` for each rank of the group on the host.
template <class State, class With>
void for_each_on(core::HostIndex host, State& state, With with) {
    for (const auto& range : state.group.ranges()) {
        if (range.host != host) continue;
        for (int i = 0; i < range.ranks; ++i) {
            const core::Rank rank{range.first.value + i};
            with(rank, state.ranks[static_cast<std::size_t>(rank.value)]);
        }
    }
}

std::set<int> taken_on(core::HostIndex host, const std::vector<core::RankRange>& replaced,
                       const GroupTable& table) {
    std::set<int> taken;
    for (const auto& [id, state] : table.all()) {
        if (!state.is_on(host)) continue;
        for_each_on(host, state, [&](core::Rank rank, const RankState& one) {
            if (!one.ended && one.local_rank && !core::holds(replaced, {state.group.id, rank}))
                taken.insert(*one.local_rank);
        });
    }
    return taken;
}

}  // namespace

void allot_local_ranks(core::GroupId group, const std::vector<core::RankRange>& replaced,
                       GroupTable& table) {
    auto& state = *table.find(group);
    for (const auto& share : state.group.shares()) {
        const auto taken = taken_on(share.host, replaced, table);
        int next = 0;
        for_each_on(share.host, state, [&](core::Rank /*rank*/, RankState& one) {
            while (taken.contains(next)) ++next;
            one.local_rank = next++;
        });
    }
}

std::vector<core::Rank> local_ranks_of(const GroupState& state, core::HostIndex host) {
    std::vector<core::Rank> numbers;
    for_each_on(host, state, [&numbers](core::Rank /*rank*/, const RankState& one) {
        if (one.local_rank) numbers.emplace_back(*one.local_rank);
    });
    return numbers;
}

}  // namespace ductile::broker
