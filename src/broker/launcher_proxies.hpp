// The proxies by which mpiexec starts ranks on other hosts. Agents start these proxies for mpiexec.
// Pure.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "broker/group_effects.hpp"
#include "broker/group_table.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

class LauncherProxies {
  public:
    /// mpiexec runs on `host`, the first host of its group, and needs a proxy for a part of the
    /// group `wanted.starts`. The agent on the host of this part starts the proxy, as soon as the
    /// agent is up. If the group is over or undone, mpiexec gets the report that the proxy has
    /// ended. Throws InputError if mpiexec cannot need this proxy.
    void on_wanted(core::HostIndex host, const wire::ProxyWanted& wanted, const GroupTable& groups,
                   const std::set<core::HostIndex>& up, GroupEffects& out);
    /// The agent of this host is up: orders it to start the proxy that the group needs there, if
    /// any.
    void start_waiting(core::GroupId group, core::HostIndex host, GroupEffects& out) const;
    void forget(core::GroupId group);

  private:
    std::map<std::pair<core::GroupId, core::HostIndex>, wire::StartProxy> wanted_;
};

/// Reports to mpiexec that the proxy for the ranks of a group on this host has ended.
void report_proxy_exit(const GroupState& state, core::HostIndex host, int code,
                       const GroupTable& groups, GroupEffects& out);

}  // namespace ductile::broker
