#include "resize/spawn_tracker.hpp"

#include <algorithm>
#include <iterator>

#include "ductile/error.hpp"

namespace ductile::resize {

SpawnTracker::SpawnTracker(plan::Start start, const core::Layout& sources,
                           const std::vector<plan::Spawn>& spawns,
                           const std::vector<core::Group>& added)
    : spawns_(spawns) {
    for (const auto& group : added)
        for (const auto& share : group.shares()) looks_.insert({share.host, group.id});
    for (const auto& spawn : spawns) {
        if (start != plan::Start::collective) {
            calls_.push_back({spawn.starter, spawn.rank, spawn.starts});
            continue;
        }
        for (const auto& range : sources.active)
            for (int i = 0; i < range.ranks; ++i)
                calls_.push_back({range.group, core::Rank{range.first.value + i}, spawn.starts});
    }
}

void SpawnTracker::expecting(core::HostIndex host, core::GroupId group) {
    if (looks_.erase({host, group}) == 0)
        throw InputError("host " + std::to_string(host.value) + " is ready to start group " +
                         std::to_string(group.value) +
                         ", but was not asked, or has said so before");
}

void SpawnTracker::begin() {
    begun_ = true;
    open_.insert(calls_.begin(), calls_.end());
}

void SpawnTracker::ended(const SpawnCall& call) {
    if (open_.erase(call) == 0 && forgone_.erase(call) == 0)
        throw InputError("rank " + std::to_string(call.rank.value) + " of group " +
                         std::to_string(call.caller.value) + " reports that it has started group " +
                         std::to_string(call.starts.value) + ", but it got no such order");
}

bool SpawnTracker::gone(core::GroupId caller, core::Rank rank) {
    const auto of_it = [&](const SpawnCall& call) {
        return call.caller == caller && call.rank == rank;
    };
    std::set<SpawnCall> left;
    std::ranges::copy_if(open_, std::inserter(left, left.end()), of_it);
    for (const auto& call : left) {
        open_.erase(call);
        forgo(call.starts);
    }
    return !left.empty();
}

void SpawnTracker::forgo(core::GroupId group) {
    for (const auto& call : calls_)
        if (call.caller == group && open_.erase(call) > 0) {
            forgone_.insert(call);
            forgo(call.starts);
        }
}

}  // namespace ductile::resize
