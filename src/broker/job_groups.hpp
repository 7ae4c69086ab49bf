// The groups of a job: their start, the PMI service for their ranks, and their end. Pure: messages
// of agents in, orders and reports out.
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
#include "os/job_clock.hpp"

namespace ductile::broker {

class JobGroups {
  public:
    using NewName = std::function<pmi::KvsName()>;

    /// `welcome`: what the ranks of all groups are told, also those of children.
    JobGroups(mpi::Capabilities mpi, wire::RankWelcome welcome, NewName new_name)
        : mpi_(std::move(mpi)), welcome_(std::move(welcome)), new_name_(std::move(new_name)) {}

    [[nodiscard]] const GroupTable& table() const { return table_; }
    /// The active ranks of this layout, and the processes that the program has started itself by an
    /// MPI_Comm_spawn that has returned.
    [[nodiscard]] std::vector<core::RankRange> working(const core::Layout& layout) const;

    // ---- start ----

    /// Sets the local ranks of plan.after. Call this before start().
    void allot_local_ranks(resize::ResizePlan& plan) const;
    /// Adds the groups of a plan, and returns what the agents start. `input`: the first group of
    /// the job reads standard input.
    RunsByHost start(const resize::ResizePlan& plan, bool input, const HostsNow& hosts);
    /// A rank called MPI_Comm_spawn, for a group of the open resize or for the program itself.
    void on_spawn_asked(core::HostIndex host, const wire::SpawnAsked& asked,
                        const GroupContext& job, GroupEffects& out);
    /// The first time limit of the program's pending MPI_Comm_spawn calls; none if no call is
    /// pending.
    [[nodiscard]] std::optional<os::JobClock::time_point> spawns_until() const {
        return children_.next_until();
    }
    /// Answers an MPI_Comm_spawn with an error, and tells the user why.
    static void refuse_spawn(core::HostIndex host, const wire::SpawnAsked& asked,
                             const std::string& why, GroupEffects& out);
    /// Gives up the groups for which an MPI_Comm_spawn of the program has waited too long.
    void give_up_late_spawns(os::JobClock::time_point now, GroupEffects& out);
    /// Throws InputError if there is no such proxy.
    void on_proxy_wanted(core::HostIndex host, const wire::ProxyWanted& wanted,
                         const std::set<core::HostIndex>& up, GroupEffects& out) {
        proxies_.on_wanted(host, wanted, table_, up, out);
    }
    /// Lets the ranks of a spawned group run.
    void release(const resize::ReleaseGroup& order, GroupEffects& out) const;

    // ---- life ----

    void make_members(const std::vector<core::GroupId>& groups);
    /// Does nothing if there is no such rank.
    void on_rank_event(const core::Process& process, RankEvent event);
    /// For BarrierReached, LeftBarriers, GateReached, GateLost, NameAsked.
    template <class Message>
    void on_pmi(core::HostIndex host, const Message& message, GroupEffects& out) {
        PmiOutbox effects;
        worlds_.on(host, message, effects);
        take(effects, out);
    }
    void on_host_up(core::HostIndex host, const HostsNow& hosts, GroupEffects& out);

    // ---- end ----

    void kill(const resize::KillGroup& order, GroupEffects& out);
    /// Called after on_rank_event() for this end.
    void on_rank_ended(const wire::RankEnded& ended, const GroupContext& job, GroupEffects& out);
    void on_part_ended(core::HostIndex host, const wire::RunEnded& ended, const GroupContext& job,
                       GroupEffects& out);
    /// Which ranks the job has lost. `members`, if it has lost any rank that it needs.
    enum class Loss { none, newcomers, members };
    Loss on_host_lost(core::HostIndex host, const GroupContext& job, GroupEffects& out);

    // ---- the job of a broker that died ----

    void restore(const std::vector<KnownGroup>& groups);
    /// Takes over what the agents have reported of their groups.
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
    WorldServers worlds_;               ///< of all groups that the agents have started
    std::set<core::GroupId> unmapped_;  ///< groups whose agents still need the process mapping
    ChildSpawns children_;
    std::set<std::string> said_of_spawns_;  ///< notes, each of which the user gets once
    LauncherProxies proxies_;
};

}  // namespace ductile::broker
