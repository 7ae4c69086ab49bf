// The groups of this host and the abort connectors. The agent is the parent of their processes.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "agent/abort_connector.hpp"
#include "agent/group_run.hpp"

namespace ductile::agent {

class HostedGroups {
  public:
    void add(std::shared_ptr<GroupRun> group);
    void add(std::shared_ptr<AbortConnector> abort_connector);

    /// Whether this group was ever started here.
    [[nodiscard]] bool had(core::GroupId group) const { return groups_.contains(group); }
    /// Whether no group was ever started here.
    [[nodiscard]] bool had_none() const { return groups_.empty(); }
    /// Null if there is no such group of this kind, or if it has ended.
    template <class Kind = GroupRun>
    [[nodiscard]] std::shared_ptr<Kind> find(core::GroupId group) const {
        const auto it = groups_.find(group);
        if (it == groups_.end() || it->second->life().has_ended()) return nullptr;
        return std::dynamic_pointer_cast<Kind>(it->second);
    }
    [[nodiscard]] std::vector<std::shared_ptr<GroupRun>> all() const;
    /// The groups that have not ended.
    [[nodiscard]] std::vector<std::shared_ptr<GroupRun>> running() const;

    [[nodiscard]] bool all_ended() const;
    [[nodiscard]] bool have_failed() const;
    /// Whether a member is inside an MPI_Comm_spawn for a resize.
    [[nodiscard]] bool spawn() const;
    [[nodiscard]] bool are_only_newcomers() const;
    /// Whether no other group runs here.
    [[nodiscard]] bool is_alone(core::GroupId group) const;
    [[nodiscard]] std::set<pid_t> children() const;

    /// The agent has read a child's wait status. None if the child is not an abort connector.
    std::optional<wire::AbortConnectorEnded> abort_connector_reaped(pid_t pid, int status);
    /// False if the child belongs to no group.
    bool child_reaped(pid_t pid, int status);
    void kill_all();
    /// Permits the exit of the parked ranks, if no active rank is left on this host.
    void wake_parked();

  private:
    std::map<core::GroupId, std::shared_ptr<GroupRun>> groups_;
    std::map<pid_t, std::shared_ptr<AbortConnector>> abort_connectors_;
};

}  // namespace ductile::agent
