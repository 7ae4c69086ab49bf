// The processes of one group on this host.
#pragma once

#include <set>
#include <vector>

#include "agent/agent_context.hpp"

namespace ductile::agent {

class GroupProcesses {
  public:
    GroupProcesses(const AgentContext& context, core::GroupId group)
        : context_(context), group_(group) {}

    /// The launcher, which led this session, has ended. All processes of the session belong to the
    /// group, too.
    void add_session(pid_t session) { session_ = session; }
    /// The marks of the group: entries in the environment of all its processes.
    [[nodiscard]] std::vector<std::string> marks() const;
    /// All processes of the group that run now. `children`: the agent's own children in the group.
    /// Their environment cannot be read while they start their program, or if they overwrite it.
    [[nodiscard]] std::vector<pid_t> find(std::set<pid_t> children) const;
    /// Sends a signal to all processes of the group: SIGSTOP or SIGCONT.
    void signal(const std::set<pid_t>& children, int number) const;
    /// Looks for processes of the group, other than these children. True if there are any.
    bool look_for_stray(const std::set<pid_t>& children);
    /// Kills the processes that the last look has found.
    void kill_stray(bool files_are_known) const;
    /// Kills processes. If not all of their files are known, first stops the processes and tells
    /// the services, which look for the files: a process that runs could make a file after the
    /// look.
    void kill(const std::vector<pid_t>& processes, bool files_are_known) const;
    void announce_kill(const std::vector<pid_t>& processes) const;

  private:
    const AgentContext& context_;
    core::GroupId group_;
    pid_t session_ = 0;
    std::vector<pid_t> stray_;
};

}  // namespace ductile::agent
