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

    /// All of this session belong to the group, too, once its launcher has ended.
    void add_session(pid_t session) { session_ = session; }
    /// By which processes of the group are known: entries of the environment of all of them.
    [[nodiscard]] std::vector<std::string> marks() const;
    /// All that run now. `children`: those of the group that the agent is the parent of. They show
    /// no environment while they enter their program, nor when they have overwritten it.
    [[nodiscard]] std::vector<pid_t> find(std::set<pid_t> children) const;
    /// Looks for what would be left if these children of the agent had ended.
    bool look_for_stray(const std::set<pid_t>& children);
    /// What the last look has found.
    void kill_stray(bool files_are_known) const;
    /// Services hear of them first. Unless all their files are known they are stopped for that: one
    /// that is just being started could make a file after the look.
    void kill(const std::vector<pid_t>& processes, bool files_are_known) const;
    void announce_kill(const std::vector<pid_t>& processes) const;

  private:
    const AgentContext& context_;
    core::GroupId group_;
    pid_t session_ = 0;
    std::vector<pid_t> stray_;
};

}  // namespace ductile::agent
