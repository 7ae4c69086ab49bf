// The proxies by which mpiexec starts ranks on other hosts than its own: our agents start them in
// its place. Pure.
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
    /// mpiexec on `host`, a group's first one, wants its proxy on another one: that host's agent
    /// starts it, once it is there. Throws InputError when there is no such proxy to start.
    void on_wanted(core::HostIndex host, const wire::ProxyWanted& wanted, const GroupTable& groups,
                   const std::set<core::HostIndex>& up, GroupEffects& out);
    /// The agent of this host is there.
    void start_waiting(core::GroupId group, core::HostIndex host, GroupEffects& out) const;
    void forget(core::GroupId group);

  private:
    std::map<std::pair<core::GroupId, core::HostIndex>, wire::StartProxy> wanted_;
};

/// mpiexec hears that the proxy for a group's ranks on this host has ended.
void report_proxy_exit(const GroupState& state, core::HostIndex host, int code,
                       const GroupTable& groups, GroupEffects& out);

}  // namespace ductile::broker
