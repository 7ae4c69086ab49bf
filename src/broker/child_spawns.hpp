// Processes that the program starts itself (MPI_Comm_spawn): a world that is no part of the job's
// layout, on the job's hosts, and that lives no longer than the job. Pure.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "broker/group_effects.hpp"
#include "broker/group_table.hpp"
#include "core/layout.hpp"
#include "plan/child_placement.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

/// As asked, with fewer ranks of the commands whose info has the key `soft`: as many as it allows
/// and as there are free slots, on the hosts that the command names, if it does. Other commands
/// need no free slots, and are served first. Or why that cannot be.
std::variant<wire::SpawnAsked, std::string> fit_to_slots(wire::SpawnAsked asked,
                                                         std::vector<plan::ChildHost> hosts);
/// Where the processes of a spawn are to run, or why they cannot: each command as its info says,
/// one after the other.
std::variant<std::vector<core::Share>, std::string> place_spawn(const wire::SpawnAsked& asked,
                                                                std::vector<plan::ChildHost> hosts,
                                                                core::HostIndex caller);
/// The programs of a group's ranks from `first` on.
std::vector<wire::ChildFields> programs_of_spawn(const wire::SpawnAsked& asked, int first,
                                                 int ranks);
/// The group of a resize for whose start MPI_Comm_spawn was called: the first of its hosts names
/// it. Nothing: the program starts processes itself.
std::optional<core::GroupId> group_named(const wire::SpawnAsked& asked);
/// The port on which the caller accepts the new processes; empty: none was put.
std::string port_of_spawn(const wire::SpawnAsked& asked);

/// The hosts where children may run, with the slots that no living rank has and that were not given
/// back: first those with ranks of the job, then others on which something runs, then idle ones.
std::vector<plan::ChildHost> child_hosts(const GroupTable& groups, const GroupContext& job);
/// The slots that children have which have not ended.
[[nodiscard]] core::SlotCounts slots_of_children(const GroupTable& groups);
/// The group of a spawn's processes, or why they cannot start. `max_worlds`:
/// mpi::Capabilities::max_worlds_in_life.
std::variant<core::Group, std::string> plan_children(core::HostIndex caller,
                                                     const wire::SpawnAsked& asked,
                                                     const std::vector<plan::ChildHost>& hosts,
                                                     const JobLedger& ledger, int max_worlds);
/// What the agents of such a group are to do. On a host that is not up one is started; it is told
/// by StartRanks when it is up.
void add_child_orders(const core::Group& group, const wire::SpawnAsked& asked,
                      const wire::RankWelcome& welcome, const wire::ServedWorld& world,
                      const std::set<core::HostIndex>& up, GroupEffects& out);
/// Why a resize to this layout has to wait: children would lose their parent or their host.
std::optional<std::string> refuse_for_children(const GroupTable& groups, const core::Layout& before,
                                               const core::Layout& after,
                                               const core::Allocation& hosts);

/// Ranks that are inside MPI_Comm_spawn for processes of the program's own.
class ChildSpawns {
  public:
    using Time = std::chrono::steady_clock::time_point;
    struct Caller {
        core::HostIndex host;
        core::Process process;
        Time until;                              ///< then it is answered with an error
        std::vector<wire::KeyFields> keys = {};  ///< that the children are told
    };
    void add(core::GroupId starts, const Caller& caller) { callers_[starts] = caller; }
    [[nodiscard]] bool contains(core::GroupId starts) const { return callers_.contains(starts); }
    /// Null when nobody waits for the group.
    [[nodiscard]] const Caller* find(core::GroupId starts) const {
        const auto it = callers_.find(starts);
        return it == callers_.end() ? nullptr : &it->second;
    }
    /// The first of the times at which a caller has waited too long.
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
    /// Who is to be answered, once.
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
