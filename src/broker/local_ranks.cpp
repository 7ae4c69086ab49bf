#include "broker/local_ranks.hpp"

namespace ductile::broker {

namespace {

std::optional<int> number_of(const core::Process& process, const GroupTable& table) {
    const auto* rank = table.find(process);
    return rank == nullptr ? std::nullopt : rank->local_rank;
}

}  // namespace

LocalRankAllotment::LocalRankAllotment(const GroupTable& table, bool members_leave) {
    for (const auto& [id, state] : table.all()) {
        if (members_leave && state.role == GroupRole::member) continue;
        for (const auto& range : state.group.ranges())
            for (int i = 0; i < range.ranks && state.is_on(range.host); ++i) {
                const auto& rank = state.ranks[static_cast<std::size_t>(range.first.value + i)];
                if (!rank.ended && rank.local_rank) taken_[range.host].insert(*rank.local_rank);
            }
    }
}

void LocalRankAllotment::reserve(const resize::ResizePlan& plan) {
    for (const auto& group : plan.added)
        for (const auto& range : group.ranges())
            for (int i = 0; i < range.ranks; ++i) {
                const core::Process process{group.id, core::Rank{range.first.value + i}};
                if (const auto number = plan.after.local_ranks.of(process))
                    taken_[range.host].insert(*number);
            }
}

std::vector<int> LocalRankAllotment::allot(const core::Group& group) {
    std::vector<int> numbers;
    for (const auto& share : group.shares()) {
        auto& taken = taken_[share.host];
        int next = 0;
        for (int i = 0; i < share.ranks; ++i) {
            while (taken.contains(next)) ++next;
            taken.insert(next);
            numbers.push_back(next);
        }
    }
    return numbers;
}

core::LocalRanks local_ranks_after(const resize::ResizePlan& plan, const GroupTable& table) {
    std::map<core::Process, int> numbers;
    for (const auto* ranges : {&plan.after.active, &plan.after.parked})
        for (const auto& range : *ranges)
            for (int i = 0; i < range.ranks; ++i) {
                const core::Process process{range.group, core::Rank{range.first.value + i}};
                if (const auto number = number_of(process, table)) numbers[process] = *number;
            }
    LocalRankAllotment allotment(table, plan.replaces_all());
    for (const auto& group : plan.added) {
        const auto of_group = allotment.allot(group);
        for (int i = 0; i < group.ranks; ++i)
            numbers[{group.id, core::Rank{i}}] = of_group[static_cast<std::size_t>(i)];
    }
    core::LocalRanks all;
    for (const auto& [process, number] : numbers) all.add(process, number);
    return all;
}

std::vector<core::Rank> local_ranks_on(core::HostIndex host, const GroupState& state) {
    std::vector<core::Rank> numbers;
    for (const auto& range : state.group.ranges())
        for (int i = 0; i < range.ranks && range.host == host; ++i)
            if (const auto number =
                    state.ranks[static_cast<std::size_t>(range.first.value + i)].local_rank)
                numbers.emplace_back(*number);
    return numbers;
}

}  // namespace ductile::broker
