#include "resize/group_spawns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/contract.hpp"

namespace ductile::resize {

namespace {

using namespace std::chrono_literals;

constexpr auto lost_ends_within = 5s;  ///< limits a call whose new ranks are lost
constexpr auto answered_ends_within = 1s;

int ranks_of(core::GroupId id, const ResizePlan& plan) {
    const auto group = std::ranges::find(plan.added, id, &core::Group::id);
    return group == plan.added.end() ? 0 : group->ranks;
}

}  // namespace

bool GroupSpawns::prepared(const HostPrepared& event) {
    tracker_.expecting(event.host, event.group);
    return tracker_.all_expecting();
}

void GroupSpawns::order(const ResizePlan& plan, Effects& out) {
    tracker_.begin();
    const bool merges = plan::bridge_by(plan.strategy.start) != plan::SpawnBridge::no;
    std::set<core::Process> starters;
    for (const auto& call : tracker_.calls()) {
        const core::Process caller{call.caller, call.rank};
        if (merges) merging_.insert(caller);
        starters.insert(caller);
        out.push_back(TellSpawn{call});
    }
    if (plan.readiness != plan::Readiness::tree) return;
    TellSharePorts order{{starters.begin(), starters.end()}, {}};
    for (const auto& process : starters)
        if (const auto rank = plan.before.rank_of(process)) order.peers.push_back(*rank);
    std::ranges::sort(order.peers);
    out.push_back(std::move(order));
}

void GroupSpawns::asked(const SpawnAsked& event, bool wanted, Effects& out) {
    const SpawnCall call{event.caller.group, event.caller.rank, event.starts};
    if (!wanted || callers_.contains(event.starts) || !tracker_.open().contains(call))
        return out.push_back(AnswerSpawn{event.host, event.caller, false});
    callers_.ask(event);
    out.push_back(ReleaseGroup{event.starts, event.keys});
}

void GroupSpawns::returned(const SpawnReturned& event, const ResizePlan& plan) {
    tracker_.ended({event.caller.group, event.caller.rank, event.starts});
    callers_.returned(event.starts);
    if (event.ok) return;
    merging_.erase(event.caller);
    // The group does not exist, so its ranks start no other groups.
    for (int i = 0; i < ranks_of(event.starts, plan); ++i)
        tracker_.gone(event.starts, core::Rank{i});
}

void GroupSpawns::ready_to_merge(const core::Process& process, Effects& out) {
    const bool is_leader =
        process.rank.value == 0 && std::ranges::any_of(spawns(), [&](const plan::Spawn& spawn) {
            return spawn.starts == process.group;
        });
    if (!is_leader || !any_merging() || std::exchange(merge_ordered_, true)) return;
    out.push_back(TellMerge{{merging_.begin(), merging_.end()}});
}

bool GroupSpawns::process_ended(const core::Process& process) {
    const bool merged = merging_.erase(process) > 0;
    return tracker_.gone(process.group, process.rank) || merged;
}

void GroupSpawns::call_off(bool lost, Effects& out) {
    out.push_back(TellNewcomersCalledOff{});
    callers_.fail_all(out);
    await(lost, out);
}

// The timer runs from one return to the next. A call that was answered returns within milliseconds,
// unless its new ranks do not come.
void GroupSpawns::await(bool lost, Effects& out) const {
    const auto within = callers_.any_accepting()        ? answered_ends_within
                        : lost || callers_.any_helped() ? lost_ends_within
                                                        : spawn_within;
    out.push_back(ArmTimer{Timer::newcomers_end, within});
}

bool GroupSpawns::help_all(bool lost, Effects& out) {
    if (!callers_.help_all(out)) return false;
    await(lost, out);
    return true;
}

std::string GroupSpawns::open_one(const ResizePlan& plan) const {
    DUCTILE_EXPECT(any_open());
    const auto& call = *tracker_.open().begin();
    std::string hosts;
    for (const auto& group : plan.added)
        if (group.id == call.starts)
            for (const auto& share : group.shares())
                hosts += (hosts.empty() ? "" : ", ") + plan.names.at(share.host);
    return fmt::format("rank g{}.{} is inside of MPI_Comm_spawn for group g{} on {}",
                       call.caller.value, call.rank.value, call.starts.value, hosts);
}

}  // namespace ductile::resize
