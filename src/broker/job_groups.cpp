#include "broker/job_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "broker/local_ranks.hpp"
#include "broker/process_ends.hpp"
#include "resize/group_spawns.hpp"

namespace ductile::broker {

namespace {

constexpr std::size_t most_notes = 100;  // about spawns

void send_to_hosts_of(const GroupState& state, const wire::ToAgent& message, GroupEffects& out) {
    for (const auto host : state.group.hosts())
        if (state.is_on(host)) out.emplace_back(HostOrder{host, message});
}

bool is_child(const GroupState& state) {
    return state.role == GroupRole::child;
}

void adopt(const wire::GroupInventory& inventory, GroupTable& groups) {
    for (std::size_t i = 0; i < inventory.ranks.size(); ++i) {
        auto* rank = groups.find({inventory.group, inventory.rank_at(i)});
        if (rank == nullptr) continue;
        rank->hello = inventory.ranks[i].hello;
        rank->goodbye = inventory.ranks[i].goodbye;
        rank->local_rank = inventory.ranks[i].local_rank;
    }
}

/// Sends the process mapping to each world whose machines are all known now. The machines become
/// known late: ranks start while other agents of their world are still starting.
void tell_mappings(std::set<core::GroupId>& unmapped, const GroupTable& table,
                   const HostsNow& hosts, GroupEffects& out) {
    std::erase_if(unmapped, [&](core::GroupId id) {
        const auto* state = table.find(id);
        if (state == nullptr) return true;
        const auto mapping = world_mapping(state->group, hosts);
        if (mapping) send_to_hosts_of(*state, wire::WorldMapping{id, *mapping}, out);
        return mapping.has_value();
    });
}

}  // namespace

// ---- start ----

void JobGroups::allot_local_ranks(resize::ResizePlan& plan) const {
    if (mpi_.agents_start_ranks) plan.after.local_ranks = local_ranks_after(plan, table_);
}

RunsByHost JobGroups::start(const resize::ResizePlan& plan, bool input, const HostsNow& hosts) {
    GroupStart start;
    start.spawned = plan.spawns_groups();
    start.input = input && plan.starts_job();
    start.welcome = newcomers_welcome(plan, welcome_);
    RunsByHost runs;
    for (const auto& group : plan.added) {
        auto& state = table_.add(group);
        for (int rank = 0; rank < group.ranks; ++rank)
            state.ranks[static_cast<std::size_t>(rank)].local_rank =
                plan.after.local_ranks.of({group.id, core::Rank{rank}});
        start.welcome.starters = starters_in(group.id, plan);
        if (mpi_.agents_start_ranks)
            start.manager =
                open_world(group, start.spawned ? pmi::Gate::shut : pmi::Gate::open, hosts);
        start.world = launcher_hosts(group, mpi_, hosts.allocation);
        add_runs(state, start, hosts, runs);
    }
    if (mpi_.agents_start_ranks) return runs;
    // A group belongs to the same launcher run as the ranks that start the group. This may be the
    // run of a third group, because ranks may have started these ranks, too.
    for (const auto& spawn : plan.spawns)
        table_.find(spawn.starts)->launcher_group = table_.find(spawn.starter)->launcher_group;
    return runs;
}

wire::ServedWorld JobGroups::open_world(const core::Group& group, pmi::Gate gate,
                                        const HostsNow& hosts) {
    const auto name = new_name_();
    worlds_.add(group, name, gate);
    auto world = served_world(group, name, hosts);
    world.port_needs_ipv4 = mpi_.port_needs_ipv4;
    if (world.mapping_follows) unmapped_.insert(group.id);
    return world;
}

void JobGroups::on_spawn_asked(core::HostIndex host, const wire::SpawnAsked& asked,
                               const GroupContext& job, GroupEffects& out) {
    if (table_.find(asked.group) == nullptr) return;
    const core::Process caller{asked.group, asked.rank};
    const auto starts = group_named(asked);
    if (!starts) return start_children(host, asked, job, out);
    if (job.open == nullptr) {
        out.emplace_back(HostOrder{host, wire::SpawnAnswer{asked.group, asked.rank, false}});
        return;
    }
    resize::Keys keys;
    for (const auto& one : asked.keys) keys.emplace_back(one.key, one.value);
    out.emplace_back(
        TellResize{resize::SpawnAsked{host, caller, *starts, asked.commands.front().ranks,
                                      port_of_spawn(asked), std::move(keys)}});
}

void JobGroups::release(const resize::ReleaseGroup& order, GroupEffects& out) const {
    const auto* state = table_.find(order.group);
    if (state == nullptr) return;
    wire::StartRanks message{order.group, {}};
    for (const auto& [key, value] : order.keys) message.keys.push_back({key, value});
    send_to_hosts_of(*state, message, out);
}

// ---- processes that the program starts itself ----

void JobGroups::start_children(core::HostIndex host, const wire::SpawnAsked& asked,
                               const GroupContext& job, GroupEffects& out) {
    const core::Process caller{asked.group, asked.rank};
    const auto refuse = [&](const std::string& why) { refuse_spawn(host, asked, why, out); };
    const auto hosts = child_hosts(table_, job);
    const auto fitted = plan::fit_to_slots(wish_of(asked), hosts);
    if (const auto* why = std::get_if<std::string>(&fitted)) return refuse(*why);
    const auto& [what, notes] = std::get<plan::FittedSpawn>(fitted);
    for (const auto& some : {notes, plan::keys_without_effect(what)})
        for (const auto& note : some)
            if (said_of_spawns_.size() < most_notes && said_of_spawns_.insert(note).second)
                out.emplace_back(NotifyUser{
                    fmt::format("MPI_Comm_spawn by rank {}: {}", core::to_string(caller), note)});
    const auto planned = plan_children(host, what, hosts, job.ledger, mpi_.max_worlds_in_life);
    if (const auto* why = std::get_if<std::string>(&planned)) return refuse(*why);
    const auto& group = std::get<core::Group>(planned);
    LocalRankAllotment allotment(table_, false);
    if (job.open != nullptr) allotment.reserve(job.open->plan());
    const auto numbers = allotment.allot(group);
    auto& state = table_.add(group);
    state.role = GroupRole::child;
    state.parent = caller;
    for (std::size_t i = 0; i < numbers.size(); ++i) state.ranks[i].local_rank = numbers[i];
    children_.add(group.id, {host, caller, job.time + resize::spawn_within, asked.keys});
    out.emplace_back(ChildrenBegin{});
    const auto world = open_world(group, pmi::Gate::shut, job.hosts);
    add_child_orders(state, what, asked.keys, welcome_, world, job.hosts, out);
}

void JobGroups::refuse_spawn(core::HostIndex host, const wire::SpawnAsked& asked,
                             const std::string& why, GroupEffects& out) {
    const core::Process caller{asked.group, asked.rank};
    out.emplace_back(HostOrder{host, wire::SpawnAnswer{asked.group, asked.rank, false}});
    out.emplace_back(NotifyUser{
        fmt::format("MPI_Comm_spawn by rank {} fails: {}", core::to_string(caller), why)});
}

void JobGroups::give_up_late_spawns(os::JobClock::time_point now, GroupEffects& out) {
    for (const auto group : children_.overdue(now)) {
        out.emplace_back(NotifyUser{fmt::format(
            "MPI_Comm_spawn by rank {} fails: MPI did not run in all of its processes within {} s",
            core::to_string(table_.find(group)->parent), resize::spawn_within.count())});
        give_up_children(group, out);
        answer_children(group, false, out);
    }
}

// answer_children() then gives the parent of the group an error from MPI_Comm_spawn, at the latest
// when the group is over.
void JobGroups::give_up_children(core::GroupId group, GroupEffects& out) {
    auto* state = table_.find(group);
    if (state == nullptr || !is_child(*state)) return;
    state->role = GroupRole::undone;
    send_to_hosts_of(*state, wire::KillRun{group}, out);
}

void JobGroups::answer_children(core::GroupId group, bool ok, GroupEffects& out) {
    if (const auto caller = children_.take(group))
        out.emplace_back(HostOrder{
            caller->host, wire::SpawnAnswer{caller->process.group, caller->process.rank, ok}});
}

// ---- life ----

void JobGroups::on_rank_event(const core::Process& process, RankEvent event) {
    auto* rank = table_.find(process);
    if (rank == nullptr) return;
    switch (event) {
        case RankEvent::hello:
            rank->hello = true;
            return;
        case RankEvent::gives_data:
        case RankEvent::has_given_data:
            rank->gives_data = event == RankEvent::gives_data;
            return;
        case RankEvent::goodbye:
            rank->goodbye = true;
            return;
        case RankEvent::ended:
            rank->ended = true;
            return;
    }
}

std::vector<core::RankRange> JobGroups::working(const core::Layout& layout) const {
    auto ranks = layout.active;
    for (const auto& [id, state] : table_.all()) {
        if (state.role != GroupRole::child || children_.contains(id)) continue;
        const auto children = core::Layout::of({state.group}).active;
        ranks.insert(ranks.end(), children.begin(), children.end());
    }
    return ranks;
}

void JobGroups::make_members(const std::vector<core::GroupId>& groups) {
    for (const auto group : groups)
        if (auto* state = table_.find(group)) state->role = GroupRole::member;
}

void JobGroups::take(const PmiOutbox& effects, GroupEffects& out) {
    for (const auto& effect : effects)
        std::visit(wire::Overloaded{
                       [&](const HostOrder& order) { out.emplace_back(order); },
                       [&](const GateReady& ready) {
                           PmiOutbox next;
                           worlds_.release_gate(ready.group, next);
                           take(next, out);
                           answer_children(ready.group, true, out);
                           out.emplace_back(TellResize{resize::GateReached{ready.group}});
                       },
                       [&](const GateFailed& failed) {
                           give_up_children(failed.group, out);
                           answer_children(failed.group, false, out);
                           out.emplace_back(TellResize{resize::GateLost{failed.group}});
                       },
                   },
                   effect);
}

void JobGroups::on_host_up(core::HostIndex host, const HostsNow& hosts, GroupEffects& out) {
    tell_mappings(unmapped_, table_, hosts, out);
    for (const auto& [id, state] : table_.all()) {
        if (!state.is_on(host)) continue;
        if (state.role == GroupRole::undone) out.emplace_back(HostOrder{host, wire::KillRun{id}});
        if (const auto* caller = children_.find(id); caller != nullptr && is_child(state))
            out.emplace_back(HostOrder{host, wire::StartRanks{id, caller->keys}});
        proxies_.start_waiting(id, host, out);
    }
}

// ---- end ----

void JobGroups::kill(const resize::KillGroup& order, GroupEffects& out) {
    auto* state = table_.find(order.group);
    if (state == nullptr) return;
    if (order.undone) state->role = GroupRole::undone;
    send_to_hosts_of(*state, wire::KillRun{order.group}, out);
}

void JobGroups::on_rank_ended(const wire::RankEnded& ended, const GroupContext& job,
                              GroupEffects& out) {
    const auto* state = table_.find(ended.group);
    if (state == nullptr) return;
    const auto end = rank_end(ended, *state, job, mpi_);
    const std::string because = ended.why.empty() ? "" : ": " + ended.why;
    if (is_child(*state) && children_.contains(ended.group)) {
        out.emplace_back(NotifyUser{
            fmt::format("{} {} before MPI ran in it{}", end.who, how_it_ended(end), because)});
        return give_up_children(ended.group, out);
    }
    // First the consequence of a member's death for the job, then for the resize.
    if (!job.is_added(ended.group) && state->role != GroupRole::undone) out.emplace_back(end);
    out.emplace_back(TellResize{resize::ProcessEnded{
        {ended.group, ended.rank},
        fmt::format("{} {} before it was a member{}", end.who, how_it_ended(end), because),
        end.code}});
}

void JobGroups::on_part_ended(core::HostIndex host, const wire::RunEnded& ended,
                              const GroupContext& job, GroupEffects& out) {
    auto* state = table_.find(ended.group);
    if (state == nullptr || !state->is_on(host)) return;
    const auto end = part_end(ended, host, *state, job, mpi_);
    const bool newcomer = job.is_newcomer(ended.group);
    state->over_on.insert(host);
    const bool last_here = end.complete && !state->is_over();
    if (runs_launcher_on(host, *state, mpi_)) {
        // mpiexec waits for all its proxies, and the proxies have nothing to do without it.
        if (last_here) send_to_hosts_of(*state, wire::KillRun{ended.group}, out);
    } else if (!mpi_.agents_start_ranks && (state->launcher_group != ended.group || last_here)) {
        report_proxy_exit(*state, host, ended.code, table_, out);
    }
    if (state->is_over()) forget(ended.group, out);
    if (!newcomer) {
        out.emplace_back(end);
        return;
    }
    const int code = ended.signal != 0 ? 128 + ended.signal : ended.code;
    out.emplace_back(TellResize{resize::NewcomerLost{
        end.what + " has ended" + (ended.text.empty() ? "" : ": " + ended.text),
        code != 0 ? code : code_lost}});
}

JobGroups::Loss JobGroups::on_host_lost(core::HostIndex host, const GroupContext& job,
                                        GroupEffects& out) {
    auto loss = Loss::none;
    for (auto& [id, state] : table_.all()) {
        if (!state.is_on(host)) continue;
        state.over_on.insert(host);
        if (is_child(state) && children_.contains(id)) {
            out.emplace_back(NotifyUser{
                fmt::format("MPI_Comm_spawn by rank {} fails: host {} is lost",
                            core::to_string(state.parent), job.hosts.allocation.at(host).name)});
            give_up_children(id, out);
        }
        if (!job.is_added(id) && needs_host(state, host, job.ledger.layout()))
            loss = Loss::members;
        else if (job.is_newcomer(id))
            loss = std::max(loss, Loss::newcomers);
        // mpiexec may not notice the loss, and must not wait for this proxy at the end.
        if (state.launcher_group != id) report_proxy_exit(state, host, 0, table_, out);
    }
    forget_those_over(out);
    PmiOutbox effects;
    worlds_.on_host_lost(host, effects);
    take(effects, out);
    return loss;
}

void JobGroups::forget(core::GroupId group, GroupEffects& out) {
    table_.erase(group);
    worlds_.remove(group);
    proxies_.forget(group);
    answer_children(group, false, out);
    out.emplace_back(TellResize{resize::GroupGone{group}});
}

void JobGroups::forget_those_over(GroupEffects& out) {
    std::vector<core::GroupId> over;
    for (const auto& [id, state] : table_.all())
        if (state.is_over()) over.push_back(id);
    for (const auto id : over) forget(id, out);
}

// ---- another broker's job ----

void JobGroups::restore(const std::vector<KnownGroup>& groups) {
    for (const auto& one : groups) {
        auto& state = table_.add(one.group);
        state.launcher_group = one.launcher_group;
        state.role = one.role;
        if (!mpi_.agents_start_ranks) continue;
        // The agents have given up each MPI_Comm_spawn that was not answered. So children at a gate
        // that is still shut have no parent that waits for them.
        const auto gate = one.role == GroupRole::child ? pmi::Gate::shut : pmi::Gate::open;
        worlds_.add(one.group, new_name_(), gate, pmi::Barriers::taken_over);
        // It is not known whether all agents of the group have the mapping.
        if (one.group.spans_hosts()) unmapped_.insert(one.group.id);
    }
}

void JobGroups::recover(const RecoverySession& found, GroupEffects& out) {
    if (const auto* open = found.open(); open != nullptr && !open->starts_job())
        for (const auto& group : open->added)
            if (table_.find(group.id) == nullptr) table_.add(group);
    for (const auto& [host, inventory] : found.inventories())
        for (const auto& group : inventory.groups) {
            if (table_.find(group.group) == nullptr && !group.ended)
                out.emplace_back(HostOrder{host, wire::KillRun{group.group}});
            adopt(group, table_);
        }
    // Groups that were never started on a host where they should be, or that have ended there.
    for (auto& [id, state] : table_.all())
        for (const auto& share : state.group.shares())
            if (found.is_absent(id, share.host)) state.over_on.insert(share.host);
    forget_those_over(out);
}

}  // namespace ductile::broker
