// The groups of a job: how they are started, what their ranks are served, how they end. Pure:
// words of agents in, orders and news out.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "broker/child_spawns.hpp"
#include "broker/group_effects.hpp"
#include "broker/group_starts.hpp"
#include "broker/group_table.hpp"
#include "broker/launcher_proxies.hpp"
#include "broker/recovery_session.hpp"
#include "broker/snapshot.hpp"
#include "broker/world_servers.hpp"

namespace ductile::broker {

class JobGroups {
  public:
    using NewName = std::function<pmi::KvsName()>;

    /// `welcome`: what the ranks of all groups are told, children included.
    JobGroups(mpi::Capabilities mpi, wire::RankWelcome welcome, NewName new_name)
        : mpi_(std::move(mpi)), welcome_(std::move(welcome)), new_name_(std::move(new_name)) {}

    [[nodiscard]] const GroupTable& table() const { return table_; }
    /// Null when there is no such rank, or its group is over.
    RankState* rank(const core::Process& process) { return table_.find(process); }

    // ---- start ----

    /// The groups that a plan adds. `input`: the job has a standard input, for its first group.
    RunsByHost start(const resize::ResizePlan& plan, bool input, const HostsNow& hosts);
    /// MPI_Comm_spawn was called: for a group of the resize that is open, or by the program.
    void on_spawn_asked(core::HostIndex host, const wire::SpawnAsked& asked,
                        const GroupContext& job, GroupEffects& out);
    /// When one of the program's own MPI_Comm_spawn has waited too long; nothing where none waits.
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> spawns_until() const {
        return children_.next_until();
    }
    /// What the program's own MPI_Comm_spawn waits for too long is given up.
    void give_up_late_spawns(std::chrono::steady_clock::time_point now, GroupEffects& out);
    /// Throws InputError when there is no such proxy.
    void on_proxy_wanted(core::HostIndex host, const wire::ProxyWanted& wanted,
                         const std::set<core::HostIndex>& up, GroupEffects& out) {
        proxies_.on_wanted(host, wanted, table_, up, out);
    }
    /// Ranks of a group that others spawn may run.
    void release(const resize::ReleaseGroup& order, GroupEffects& out) const;

    // ---- life ----

    void make_members(const std::vector<core::GroupId>& groups);
    /// BarrierReached, LeftBarriers, GateReached, GateLost, NameAsked.
    template <class Message>
    void on_pmi(core::HostIndex host, const Message& message, GroupEffects& out) {
        PmiOutbox effects;
        worlds_.on(host, message, effects);
        take(effects, out);
    }
    void on_host_up(core::HostIndex host, GroupEffects& out) const;

    // ---- end ----

    void kill(const resize::KillGroup& order, GroupEffects& out);
    /// The rank's state says so already.
    void on_rank_ended(const wire::RankEnded& ended, const GroupContext& job, GroupEffects& out);
    void on_part_ended(core::HostIndex host, const wire::RunEnded& ended, const GroupContext& job,
                       GroupEffects& out);
    /// Whose ranks the job has lost. Members and others that the job needs come first.
    enum class Loss { none, newcomers, members };
    Loss on_host_lost(core::HostIndex host, const GroupContext& job, GroupEffects& out);

    // ---- another broker's job ----

    void restore(const std::vector<KnownGroup>& groups);
    /// What the agents have said of their groups.
    void recover(const RecoverySession& found, GroupEffects& out);

  private:
    wire::ServedWorld open_world(const core::Group& group, pmi::Gate gate, const HostsNow& hosts);
    void take(const PmiOutbox& effects, GroupEffects& out);
    void start_children(core::HostIndex host, const wire::SpawnAsked& asked,
                        const GroupContext& job, GroupEffects& out);
    void give_up_children(core::GroupId group, GroupEffects& out);
    void answer_children(core::GroupId group, bool ok, GroupEffects& out);
    void forget(core::GroupId group, GroupEffects& out);
    void forget_those_over(GroupEffects& out);

    mpi::Capabilities mpi_;
    wire::RankWelcome welcome_;
    NewName new_name_;
    GroupTable table_;
    WorldServers worlds_;  ///< of all groups that the agents have started
    ChildSpawns children_;
    LauncherProxies proxies_;
};

}  // namespace ductile::broker
