#include "broker/recovery_session.hpp"

#include <algorithm>

namespace ductile::broker {

RecoverySession::RecoverySession(Snapshot known) : known_(std::move(known)) {
    std::set<core::HostIndex> agents;
    for (const auto& agent : known_.agents) agents.insert(agent.host);
    const auto await = [&](const core::Group& group) {
        for (const auto& share : group.shares())
            if (agents.contains(share.host)) awaited_.insert(share.host);
    };
    for (const auto& one : known_.groups) await(one.group);
    if (open() == nullptr) return;
    for (const auto& group : open()->added) await(group);
    for (const auto& range : open()->before.active)
        for (int i = 0; i < range.ranks; ++i)
            if (awaited_.contains(range.host))
                undecided_[{range.group, core::Rank{range.first.value + i}}] = range.host;
}

void RecoverySession::inventory(core::HostIndex host, const wire::Inventory& inventory) {
    inventories_[host] = inventory;
    awaited_.erase(host);
    if (inventory.committed.value >= known_.next_transaction)
        behind_ = "resize " + std::to_string(inventory.committed.value) +
                  " was committed, and the journal knows of no resize after " +
                  std::to_string(known_.next_transaction - 1);
    for (const auto& group : inventory.groups)
        if (group.group.value >= known_.next_group)
            behind_ = "group g" + std::to_string(group.group.value) +
                      " was started, and the journal knows of no group after g" +
                      std::to_string(known_.next_group - 1);
    if (open() == nullptr) return;
    for (const auto& group : inventory.groups) {
        const bool added = open()->adds(group.group);
        committed_ = committed_ || (added && group.member);
        for (std::size_t i = 0; i < group.ranks.size(); ++i)
            if (group.ranks[i].goodbye || group.ranks[i].ended)
                undecided_.erase({group.group, group.rank_at(i)});
    }
}

void RecoverySession::report(core::GroupId group, core::Rank rank, const wire::RankReport& report) {
    heard_ = undecided_.erase({group, rank}) > 0 || heard_;
    accepting_ = accepting_ || report.accepting;
    degraded_ = degraded_ || report.degraded;
    committed_ = committed_ || (open() != nullptr && report.transaction == open()->id);
}

void RecoverySession::ended(core::GroupId group, core::Rank rank) {
    undecided_.erase({group, rank});
}

void RecoverySession::lost(core::HostIndex host, bool silent) {
    if (silent) silent_.insert(host);
    awaited_.erase(host);
    std::erase_if(undecided_, [&](const auto& entry) { return entry.second == host; });
}

// The sources of a baseline resize may all have left by now. Then only the new ranks can report
// that the resize was committed, perhaps a moment later.
bool RecoverySession::is_complete() const {
    const bool replaces = open() != nullptr && open()->replaces_all();
    return is_decided() && (!replaces || heard_ || committed_);
}

bool RecoverySession::is_absent(core::GroupId group, core::HostIndex host) const {
    const auto found = inventories_.find(host);
    if (found == inventories_.end()) return !is_silent(host);
    return std::ranges::find(found->second.groups, group, &wire::GroupInventory::group) ==
           found->second.groups.end();
}

bool RecoverySession::is_plain_and_started() const {
    const auto is_started = [this](const KnownGroup& one) {
        return !open()->adds(one.group.id) ||
               std::ranges::none_of(one.group.shares(), [&](const core::Share& share) {
                   return is_absent(one.group.id, share.host);
               });
    };
    const auto has_job = [](const wire::GroupInventory& group) {
        return std::ranges::any_of(group.ranks, &wire::RankInventory::hello);
    };
    return open() != nullptr && std::ranges::all_of(known_.groups, is_started) &&
           std::ranges::none_of(inventories_, [&](const auto& entry) {
               return std::ranges::any_of(entry.second.groups, has_job);
           });
}

std::vector<core::HostIndex> RecoverySession::silent_hosts() const {
    return {awaited_.begin(), awaited_.end()};
}

std::vector<std::pair<core::GroupId, core::Rank>> RecoverySession::silent_ranks() const {
    std::vector<std::pair<core::GroupId, core::Rank>> ranks;
    for (const auto& [who, host] : undecided_) ranks.push_back(who);
    return ranks;
}

std::vector<wire::FromAgent> ends_in(const wire::Inventory& inventory) {
    std::vector<wire::FromAgent> ends;
    for (const auto& group : inventory.groups) {
        for (std::size_t i = 0; i < group.ranks.size(); ++i) {
            const auto& rank = group.ranks[i];
            if (rank.ended)
                ends.emplace_back(wire::RankEnded{group.group, group.rank_at(i), rank.code,
                                                  rank.signal, rank.hello, rank.goodbye, rank.why});
        }
        if (group.ended) ends.emplace_back(wire::RunEnded{group.group, 0, 0, ""});
    }
    return ends;
}

}  // namespace ductile::broker
