// The broker's part of the PMI service for the worlds whose ranks the agents start. Pure: messages
// of hosts in, orders and reports out.
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "broker/host_order.hpp"
#include "core/layout.hpp"
#include "pmi/server.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

/// All ranks of a spawned group wait at the gate of the group.
struct GateReady {
    core::GroupId group;
};
/// A rank or a host of the group has ended before GateReady.
struct GateFailed {
    core::GroupId group;
};
using PmiEffect = std::variant<HostOrder, GateReady, GateFailed>;
using PmiOutbox = std::vector<PmiEffect>;

/// Each group is a world.
class WorldServers {
  public:
    /// The ranks of the group are about to be started, or were started under a former broker.
    void add(const core::Group& group, const pmi::KvsName& name, pmi::Gate gate,
             pmi::Barriers barriers = pmi::Barriers::from_first);
    void remove(core::GroupId group);

    /// Each of these ignores a message for an unknown group.
    void on(core::HostIndex host, const wire::BarrierReached& message, PmiOutbox& out);
    void on(core::HostIndex host, const wire::LeftBarriers& message, PmiOutbox& out);
    void on(core::HostIndex host, const wire::GateReached& message, PmiOutbox& out);
    void on(core::HostIndex host, const wire::GateLost& message, PmiOutbox& out);
    void on(core::HostIndex host, const wire::NameAsked& message, PmiOutbox& out);
    void on_host_lost(core::HostIndex host, PmiOutbox& out);
    /// Called after GateReady.
    void release_gate(core::GroupId group, PmiOutbox& out);

  private:
    void pass_on(core::GroupId group, core::HostIndex host, const pmi::FromHost& message,
                 PmiOutbox& out);
    void take(const pmi::ServerOutbox& effects, PmiOutbox& out) const;

    pmi::Server server_;
    std::map<core::GroupId, pmi::KvsName> names_;
    std::map<pmi::KvsName, core::GroupId> groups_;
};

}  // namespace ductile::broker
