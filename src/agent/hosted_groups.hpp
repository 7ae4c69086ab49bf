// The groups of this host, and the abort connectors: all whose processes the agent is the parent
// of.
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

    /// Has there been a group of this name?
    [[nodiscard]] bool had(core::GroupId group) const { return groups_.contains(group); }
    /// None was ever started here.
    [[nodiscard]] bool had_none() const { return groups_.empty(); }
    /// Null when there is none of this kind that has not ended.
    template <class Kind = GroupRun>
    [[nodiscard]] std::shared_ptr<Kind> find(core::GroupId group) const {
        const auto it = groups_.find(group);
        if (it == groups_.end() || it->second->life().has_ended()) return nullptr;
        return std::dynamic_pointer_cast<Kind>(it->second);
    }
    [[nodiscard]] std::vector<std::shared_ptr<GroupRun>> all() const;
    /// Those that have not ended.
    [[nodiscard]] std::vector<std::shared_ptr<GroupRun>> running() const;

    [[nodiscard]] bool all_ended() const;
    [[nodiscard]] bool have_failed() const;
    /// A member is inside of an MPI_Comm_spawn that a resize has asked for.
    [[nodiscard]] bool spawn() const;
    [[nodiscard]] bool are_only_newcomers() const;
    /// No other group runs here.
    [[nodiscard]] bool is_alone(core::GroupId group) const;
    [[nodiscard]] std::set<pid_t> children() const;

    /// A child's wait status has been read. Nothing when it is not an abort connector's.
    std::optional<wire::AbortConnectorEnded> abort_connector_reaped(pid_t pid, int status);
    /// False when it is no group's.
    bool child_reaped(pid_t pid, int status);
    void kill_all();
    /// Parked ranks sleep beside others. With none of these left they are to leave.
    void wake_parked();

  private:
    std::map<core::GroupId, std::shared_ptr<GroupRun>> groups_;
    std::map<pid_t, std::shared_ptr<AbortConnector>> abort_connectors_;
};

}  // namespace ductile::agent
