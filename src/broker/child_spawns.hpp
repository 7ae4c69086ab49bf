// Processes that the program starts itself (MPI_Comm_spawn). Those of one call are a world on the
// job's hosts, but no part of the job's layout. They end with the job at the latest. Pure.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "broker/child_hosts.hpp"
#include "broker/group_effects.hpp"
#include "core/layout.hpp"
#include "os/job_clock.hpp"
#include "plan/spawn_wish.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

plan::SpawnWish wish_of(const wire::SpawnAsked& asked);
/// The group that a resize starts by this MPI_Comm_spawn: the first entry of the info key `hosts`
/// names the group. None: the program starts its own processes.
std::optional<core::GroupId> group_named(const wire::SpawnAsked& asked);
/// The port on which the caller accepts the new processes; empty if the caller gave none.
std::string port_of_spawn(const wire::SpawnAsked& asked);

/// Adds to `out` the orders by which agents start the group (the processes of one MPI_Comm_spawn).
/// If a host has no agent that is up, an agent is started there, and gets StartRanks when it is up.
void add_child_orders(const GroupState& state, const plan::SpawnWish& wish,
                      const std::vector<wire::KeyFields>& keys, const wire::RankWelcome& welcome,
                      const wire::ServedWorld& world, const HostsNow& hosts, GroupEffects& out);

/// The ranks that are inside an MPI_Comm_spawn of the program's own.
class ChildSpawns {
  public:
    using Time = os::JobClock::time_point;
    struct Caller {
        core::HostIndex host;
        core::Process process;
        Time until;                              ///< then the spawn fails with an error
        std::vector<wire::KeyFields> keys = {};  ///< PMI keys for the children
    };
    void add(core::GroupId starts, const Caller& caller) { callers_[starts] = caller; }
    [[nodiscard]] bool contains(core::GroupId starts) const { return callers_.contains(starts); }
    /// The caller that waits for the group; null if there is none.
    [[nodiscard]] const Caller* find(core::GroupId starts) const {
        const auto it = callers_.find(starts);
        return it == callers_.end() ? nullptr : &it->second;
    }
    /// The earliest `until` of all callers.
    [[nodiscard]] std::optional<Time> next_until() const {
        std::optional<Time> first;
        for (const auto& [starts, caller] : callers_)
            if (!first || caller.until < *first) first = caller.until;
        return first;
    }
    /// The groups whose callers have waited too long.
    [[nodiscard]] std::vector<core::GroupId> overdue(Time now) const {
        std::vector<core::GroupId> late;
        for (const auto& [starts, caller] : callers_)
            if (caller.until <= now) late.push_back(starts);
        return late;
    }
    /// Removes and returns the caller that waits for the group, so that it is answered once.
    std::optional<Caller> take(core::GroupId starts) {
        const auto it = callers_.find(starts);
        if (it == callers_.end()) return std::nullopt;
        const auto caller = it->second;
        callers_.erase(it);
        return caller;
    }

  private:
    std::map<core::GroupId, Caller> callers_;
};

}  // namespace ductile::broker
