#include "agent/hosted_groups.hpp"

#include <algorithm>
#include <utility>

namespace ductile::agent {

void HostedGroups::add(std::shared_ptr<GroupRun> group) {
    const auto id = group->order().group;
    groups_[id] = std::move(group);
}

void HostedGroups::add(std::shared_ptr<AbortConnector> abort_connector) {
    const auto pid = abort_connector->pid();
    abort_connectors_[pid] = std::move(abort_connector);
}

// Returns copies of the pointers: a call to a group may end this group, or start another one.
std::vector<std::shared_ptr<GroupRun>> HostedGroups::all() const {
    std::vector<std::shared_ptr<GroupRun>> groups;
    for (const auto& [id, group] : groups_) groups.push_back(group);
    return groups;
}

std::vector<std::shared_ptr<GroupRun>> HostedGroups::running() const {
    auto groups = all();
    std::erase_if(groups, [](const auto& group) { return group->life().has_ended(); });
    return groups;
}

bool HostedGroups::all_ended() const {
    return abort_connectors_.empty() && running().empty();
}

bool HostedGroups::have_failed() const {
    return std::ranges::any_of(groups_,
                               [](const auto& entry) { return has_failed(entry.second->life()); });
}

bool HostedGroups::spawn() const {
    return std::ranges::any_of(groups_,
                               [](const auto& entry) { return spawns(entry.second->life()); });
}

bool HostedGroups::are_only_newcomers() const {
    return !all_ended() && std::ranges::none_of(running(), [](const auto& group) {
        return group->life().are_members();
    });
}

bool HostedGroups::is_alone(core::GroupId group) const {
    return std::ranges::all_of(
        running(), [group](const auto& other) { return other->order().group == group; });
}

std::set<pid_t> HostedGroups::children() const {
    std::set<pid_t> pids;
    for (const auto& [id, group] : groups_) pids.merge(group->children());
    for (const auto& [pid, abort_connector] : abort_connectors_) pids.insert(pid);
    return pids;
}

std::optional<wire::AbortConnectorEnded> HostedGroups::abort_connector_reaped(pid_t pid,
                                                                              int status) {
    const auto found = abort_connectors_.extract(pid);
    if (found.empty()) return std::nullopt;
    return found.mapped()->reaped(status);
}

bool HostedGroups::child_reaped(pid_t pid, int status) {
    return std::ranges::any_of(
        all(), [pid, status](const auto& group) { return group->child_reaped(pid, status); });
}

void HostedGroups::kill_all() {
    for (const auto& [pid, abort_connector] : abort_connectors_) abort_connector->kill();
    for (const auto& group : all()) group->on(group_event::KillOrdered{});
}

void HostedGroups::wake_parked() {
    if (std::ranges::any_of(groups_,
                            [](const auto& entry) { return has_active(entry.second->life()); }))
        return;
    for (const auto& group : all()) group->send(parked_places(*group), wire::ExitPermitted{});
}

}  // namespace ductile::agent
